/**
 * What this device keeps of one survey: drawn versions and disguised bytes, until the receipt takes their place.
 *
 * Versions are drawn once and answers are disguised once, in whatever tab. True answers are never kept.
 */

/** The drawer of this device in which one survey keeps its reply, or the receipt for it. */
export class Drawer {
  constructor(fingerprint, kind = "reply", storage = globalThis.localStorage) {
    this.fingerprint = fingerprint;
    this.name = `deniable/${fingerprint}/${kind}`;
    this.storage = storage;
  }

  /** The disguised bytes that wait to arrive, or null. */
  get bytes() {
    return this.storage.getItem(this.name);
  }

  /** Whether the respondent has asked to send them. */
  get sending() {
    return this.storage.getItem(`${this.name}/sending`) !== null;
  }

  /** The versions that were drawn in the open when the page was first opened, by column; null if there are none yet. */
  get versions() {
    const kept = JSON.parse(this.storage.getItem(`${this.name}/versions`));
    return kept && new Map(kept);
  }

  /** The versions that are kept, in this tab or another; `make` draws them where there are none, and never again. */
  keepVersions(make) {
    return this.alone(() => {
      const versions = this.versions ?? make();
      if (!this.receipt && versions.size) this.storage.setItem(`${this.name}/versions`, JSON.stringify([...versions]));
      return versions;
    });
  }

  /** The receipt, or null. */
  get receipt() {
    return JSON.parse(this.storage.getItem(`${this.name}/receipt`));
  }

  /** The one-use invitation that goes with the reply, or null. */
  get invitation() {
    return this.storage.getItem(`${this.name}/invitation`);
  }

  set invitation(invitation) {
    if (invitation) this.storage.setItem(`${this.name}/invitation`, invitation);
    else this.storage.removeItem(`${this.name}/invitation`);
  }

  /**
   * Keep bytes unless there are some already, in this tab or another; gives those that are kept.
   *
   * There are none after the receipt, or where `make` gives null because the respondent has left.
   */
  keep(make) {
    return this.alone(() => {
      if (this.receipt) return null;
      const made = this.bytes ?? make();
      if (made !== null) this.storage.setItem(this.name, made);
      return made;
    });
  }

  /** Remember that the respondent has asked to send, if anything waits to be sent. */
  send() {
    if (this.bytes !== null) this.storage.setItem(`${this.name}/sending`, "yes");
  }

  /** The bytes were refused: they stay, and wait for the respondent to ask again. */
  refused() {
    this.storage.removeItem(`${this.name}/sending`);
  }

  /** Forget bytes that were never sent, and that nobody waits for any more. */
  drop() {
    this.storage.removeItem(this.name);
  }

  /** The bytes have arrived: a receipt takes their place. It names the model that was published before they were sent. */
  arrived(day, model = null) {
    const receipt = { design: this.fingerprint, day, received: true, ...(model && { model }) };
    this.storage.setItem(`${this.name}/receipt`, JSON.stringify(receipt));
    for (const part of ["", "/sending", "/invitation", "/versions"]) this.storage.removeItem(`${this.name}${part}`);
    return receipt;
  }

  /** Do something while no other tab does. */
  alone(work) {
    return globalThis.navigator.locks.request(this.name, work);
  }
}
