// Keeps a page of the dashboard up to date while replies arrive.
//
// Every few seconds it asks how many replies there are. When there are more, it fetches the same page again, as a
// document that runs no script, and puts its live parts in place of the old ones. Without this script, reload.

const SECONDS = 3;

function live() {
  return document.getElementById("live-state");
}

async function replies(address) {
  const answer = await fetch(address, { credentials: "same-origin", cache: "no-store" });
  if (answer.status === 403) {
    location.reload(); // the session is over: the log-in form comes
  }
  return answer.ok ? (await answer.json()).replies : null;
}

function freshPage() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.href);
    request.responseType = "document";
    request.addEventListener("load", () => resolve(request.status === 200 ? request.response : null));
    request.addEventListener("error", reject);
    request.send();
  });
}

function replaceParts(fresh) {
  for (const part of fresh.querySelectorAll("[data-live]")) {
    const old = document.getElementById(part.id);
    if (old !== null) {
      old.replaceWith(document.importNode(part, true));
    }
  }
}

async function look() {
  try {
    const now = document.hidden ? null : await replies(live().dataset.count);
    if (now !== null && String(now) !== live().dataset.replies) {
      const fresh = await freshPage();
      if (fresh !== null && fresh.getElementById("live-state") !== null) {
        replaceParts(fresh);
      }
    }
  } catch {
    // the server or the connection is away: look again later
  }
  setTimeout(look, SECONDS * 1000);
}

// A tree may be wider than the screen: it is shown from its root on, which is the first box drawn.
for (const picture of document.querySelectorAll(".picture:has(> .tree)")) {
  const root = picture.querySelector(".tree .box").getBoundingClientRect();
  const frame = picture.getBoundingClientRect();
  picture.scrollLeft += root.left + root.width / 2 - frame.left - frame.width / 2;
}

if (live() !== null) {
  setTimeout(look, SECONDS * 1000);
}
