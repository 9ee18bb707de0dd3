"""Respondents who visit the site with a browser, and what they leave behind."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, Request, expect

import deniable as dn
from deniable.collect.places import open_store
from deniable.collect.store import Store
from serving import Server

RECEIPT = re.compile("Thank you|You have already answered")  # just after sending, and later
EVERYTHING_STORED = """async () => {
  const found = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, location.href,
    document.title, JSON.stringify(history.state), window.name];
  for (const { name } of await indexedDB.databases()) found.push(name);
  for (const name of await caches.keys()) found.push(name);
  const files = await navigator.storage.getDirectory?.().then(async (root) => {
    const names = [];
    for await (const name of root.keys()) names.push(name);
    return names;
  }).catch(() => []);
  return found.concat(files).join("\\n");
}"""


@dataclass(frozen=True)
class Served:
    """A site that serves some designs."""

    server: Server
    folder: Path
    designs: dict[str, dn.Design]

    def address(self, survey: str) -> str:
        """Where one survey is answered."""
        return f"{self.server.url}/survey/{self.designs[survey].fingerprint}"

    def store(self) -> Store:
        """The store behind the site."""
        return open_store(f"sqlite:///{self.folder / 'replies.db'}")

    def rows(self, survey: str) -> int:
        """How many replies are stored."""
        with self.store() as store:
            return int(store.count(self.designs[survey].fingerprint))

    def everything(self) -> bytes:
        """All bytes on disk and in the log."""
        return b"".join(path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.suffix != ".toml")


class Ear:
    """Hears every request that a browser makes."""

    def __init__(self, context: BrowserContext) -> None:
        self.requests: list[Request] = []
        context.on("request", lambda request: self.requests.append(request))

    def heard(self) -> str:
        """Addresses, headers and bodies of all requests."""
        return "\n".join(f"{each.method} {each.url} {each.headers} {each.post_data}" for each in self.requests)

    def sent(self, door: str = "replies") -> list[str]:
        """The bodies that went through a door of the survey."""
        return [str(each.post_data) for each in self.requests if each.method == "POST" and each.url.endswith(door)]


def answer(page: Page, answers: dict[str, Any], design: dn.Design, personal: dict[str, str] | None = None) -> None:
    """Fill in the form: words choose, numbers are typed, None leaves out."""
    for place, question in enumerate(design.questions):
        fill(page, f"question-{place}", answers[question.name])
        if personal and question.name in personal:
            fill(page, f"personal-{place}", personal[question.name])


def fill(page: Page, field: str, value: Any) -> None:
    """Answer one field, whatever its kind."""
    page.locator(f"[id='{field}'], [id='{field}-0']").wait_for()
    if isinstance(value, str):
        labels = page.locator(f"label[for^='{field}-']")
        if labels.count():
            labels.get_by_text(value, exact=True).check()
        else:
            page.locator(f"#{field}").select_option(label=value)
    elif value is not None:
        page.locator(f"#{field}").fill(str(value))


def disguise(page: Page) -> str:
    """Draw the lottery; gives the bytes that will be sent."""
    page.get_by_role("button", name=re.compile("Disguise my answers|See what will be sent")).click()
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    return shown_bytes(page)


def shown_bytes(page: Page) -> str:
    """The bytes that the page says it will send."""
    return str(page.locator("pre.bytes").text_content())


def send(page: Page) -> None:
    """Send, and wait for the receipt."""
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def stored(page: Page) -> str:
    """All that the browser keeps for this page."""
    return str(page.evaluate(EVERYTHING_STORED))
