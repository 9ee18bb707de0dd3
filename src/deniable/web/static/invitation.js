/**
 * An invitation: one-use letters that let one reply in, in the link that a respondent was sent.
 *
 * It goes in a header with the reply, and stays neither in the address nor in the history.
 */

/** The invitation in a pasted text, which may be the whole link; null where there is none that could be one. */
export function invitationIn(text) {
  const [before, hash] = text.trim().split("#");
  const found = hash === undefined ? before : new URLSearchParams(hash).get("invitation");
  return /^[A-Za-z0-9_-]+$/.test(found ?? "") ? found : null;
}

/** Take the invitation out of the address; null if there is none. */
export function takeInvitation() {
  const invitation = invitationIn(location.hash);
  if (location.hash.includes("invitation=")) history.replaceState(null, "", location.pathname + location.search);
  return invitation;
}
