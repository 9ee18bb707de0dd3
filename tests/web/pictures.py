"""Pictures of the dashboard for the docs: `make pictures`."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from browsing import chromium
from web.desk import fill, health_design, health_people, serving, set_password
from web.test_browser import DESKTOP, EXPLAINED, PHONE, address, log_in

TALL = {"width": 1180, "height": 1480}
LOOKS = {  # size, colours and page of each picture
    "dashboard": (TALL, "light", ""),
    "dashboard-phone": (PHONE, "light", ""),
    "dashboard-table": (DESKTOP, "light", "/tables?first=drinks&second=smokes"),
    "dashboard-tree": (DESKTOP, "dark", "/models?kind=tree&target=leave"),
    "dashboard-regression": (DESKTOP, "light", EXPLAINED),
    "dashboard-promise": (DESKTOP, "light", "/promise"),
}


def take(folder: Path) -> None:
    """All pictures, of a survey with 2,000 replies."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place, chromium() as browser:
        design, store = health_design(), f"sqlite:///{place}/s.sqlite"
        fill(store, design, health_people(2_000))
        set_password(store)
        with serving(store, design) as running:
            for name, (size, scheme, part) in LOOKS.items():
                context = browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
                page = log_in(context, running)
                page.goto(address(running, part))
                page.screenshot(path=folder / f"{name}.png", full_page=part != "")
                context.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
