/**
 * What this device keeps of one survey: drawn versions and disguised bytes, until the receipt takes their place.
 *
 * Versions are drawn once and answers are disguised once, in whatever tab. True answers are never kept.
 */

const A_WHILE = 5000; // milliseconds until every tab sees what one of them has stored

/** Hold a lock of this name for a while; settles, as soon as it is held, with what lets it go before. */
function held(name) {
  return new Promise((granted) => {
    globalThis.navigator.locks.request(name, () => {
      return new Promise((released) => {
        granted({ letGo: released });
        setTimeout(released, A_WHILE);
      });
    });
  });
}

/** What another tab has drawn just now and said in a lock's name behind this prefix, or null. */
async function drawnElsewhere(prefix) {
  const locks = await globalThis.navigator.locks.query();
  const found = locks.held.find(({ name }) => name.startsWith(prefix));
  return found ? found.name.slice(prefix.length) : null;
}

/** The drawer of this device in which one survey keeps its reply, or the receipt for it. */
export class Drawer {
  constructor(fingerprint, kind = "reply", storage = globalThis.localStorage, person = "") {
    this.fingerprint = fingerprint;
    this.name = `deniable/${fingerprint}/${kind}${person}`;
    this.storage = storage;
    this.locks = new Map(); // they tell other tabs what was drawn in this one
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
  async keepVersions(make) {
    const text = await this.once("/versions", () => {
      const drawn = [...make()];
      return drawn.length ? JSON.stringify(drawn) : null;
    });
    return new Map(JSON.parse(text));
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

  /** The signed (or still blinded) id of an invited respondent's reply, or null. */
  get pass() {
    return JSON.parse(this.storage.getItem(`${this.name}/pass`));
  }

  set pass(pass) {
    this.storage.setItem(`${this.name}/pass`, JSON.stringify(pass));
  }

  /**
   * Keep bytes unless there are some already, in this tab or another; gives those that are kept.
   *
   * There are none after the receipt, or where `make` gives null because the respondent has left.
   */
  keep(make) {
    return this.once("", make);
  }

  /**
   * What stands under a name, in this tab or another; `make` gives it where there is nothing, once for all tabs.
   *
   * Tabs that draw together may see what another has stored a moment later only. Locks they see at once, so the tab
   * that draws holds one for a while whose name says what it drew.
   */
  once(part, make) {
    const prefix = `${this.name}${part} `;
    return this.alone(async () => {
      if (this.receipt) return null;
      const kept = this.storage.getItem(`${this.name}${part}`) ?? (await drawnElsewhere(prefix));
      const text = kept ?? make();
      if (text === null) return null;
      this.storage.setItem(`${this.name}${part}`, text);
      if (kept === null) this.locks.set(part, await held(`${prefix}${text}`));
      return text;
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
    this.locks.get("")?.letGo();
  }

  /** The bytes have arrived: a receipt takes their place. It names the model that was published before they were sent. */
  arrived(day, model = null) {
    const receipt = { design: this.fingerprint, day, received: true, ...(model && { model }) };
    this.storage.setItem(`${this.name}/receipt`, JSON.stringify(receipt));
    for (const part of ["", "/sending", "/invitation", "/pass", "/versions"]) this.storage.removeItem(`${this.name}${part}`);
    return receipt;
  }

  /** Do something while no other tab does. */
  alone(work) {
    return globalThis.navigator.locks.request(this.name, work);
  }
}
