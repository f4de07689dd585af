"""Somebody with a phone: a report that a colleague sent, and a terminal that is narrow."""

from __future__ import annotations

from playwright.sync_api import Page

from walks.pages import PHONE, keep, look, opened_page
from walks.walk import Walk

ABOUT = "reads reports on the train and looks at runs through a terminal on a phone"


def walk(w: Walk) -> None:
    """A report at 390 pixels, and commands at 60 and 40 columns."""
    w.say("A colleague's runs")
    run = "editscope run paintbench --limit 40 --editor ref:drift --editor ref:half --out runs/both"
    w.type(run, shows=["mIoU", "40 of 1,920 cases"])
    w.type("editscope report runs/both/* --out report.html", makes=["report.html"])
    look(w, "report.html", PHONE)
    with opened_page(w, "report.html", PHONE) as page:
        if page is not None:
            _through(w, page)

    w.say("A terminal of sixty columns, then of forty")
    for columns in (60, 40):
        w.type("editscope show runs/both/ref-half", columns=columns, shows=["mIoU"], again=True)
        w.type("editscope compare runs/both/ref-drift runs/both/ref-half", columns=columns, again=True)
        w.type("editscope suites", columns=columns, shows=["paintbench"], again=True)
        w.type("editscope suites paintbench", columns=columns, again=True)
        w.type("editscope editors", columns=columns, again=True)
        w.type("editscope published paintbench", columns=columns, again=True)
        w.type("editscope run --help", columns=64)
        w.type("editscope run paintbench --editor ref:drfit", columns=columns, code=2, shows=["drift"], again=True)
        w.type(
            f"editscope run paintbench --limit 5 --editor ref:drift --out runs/at{columns}",
            columns=columns,
            shows=["mIoU", "5 of 1,920 cases"],
        )


def _through(w: Walk, page: Page) -> None:
    """Each section of the report, then the viewer of one case."""
    for section in page.locator("main > section[id]").all():
        section.evaluate("element => element.scrollIntoView({behavior: 'instant'})")
        page.wait_for_timeout(300)
        keep(w, page, f"report-phone-{section.get_attribute('id')}")
    page.locator(".result").first.click()
    page.wait_for_timeout(300)
    keep(w, page, "report-phone-viewer")
