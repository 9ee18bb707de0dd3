"""What machines are told of surveys that have ended."""

import asyncio
import re
from datetime import timedelta

import httpx

import deniable as dn
from commands import deniable_says
from deniable.collect.state import today
from deniable.web import metrics
from deniable.web.app import create_app
from deniable.web.site import Site


def survey(**more):
    return dn.Design([dn.warner(0.8, dn.yes_no("smokes", "Do you smoke?"))], title="Smoking", **more)


def told_by(site, *paths):
    """What a site answers to these paths, one after the other: statuses and texts."""

    async def told():
        transport = httpx.ASGITransport(create_app(site))
        async with httpx.AsyncClient(transport=transport, base_url=site.url) as client:
            answers = [await client.get(path) for path in paths]
        return [(answer.status_code, answer.text) for answer in answers]

    return asyncio.run(told())


def test_machines_are_told_of_the_other_surveys_after_one_was_erased(tmp_path):
    survey().save(tmp_path / "smoking.toml")
    other, url = dn.Design([dn.warner(0.7, dn.yes_no("late"))]), f"sqlite:///{tmp_path}/s.sqlite"
    site = Site([survey(), other], url, "http://127.0.0.1:8000")
    deniable_says("erase", tmp_path / "smoking.toml", "--store", url, "--yes")
    ((status, text),) = told_by(site, "/metrics")
    assert status == 200
    assert set(re.findall('survey="([0-9a-f]+)"', text)) == {other.fingerprint[:16]}


def test_machines_are_told_that_a_survey_is_closed_from_the_midnight_on_that_ends_it(tmp_path, monkeypatch):
    design = survey(retention=today())
    site = Site([design], f"sqlite:///{tmp_path}/s.sqlite", "http://127.0.0.1:8000")
    line = f'deniable_survey_open{{survey="{design.fingerprint[:16]}"}}'
    assert f"{line} 1\n" in told_by(site, "/metrics")[0][1]
    monkeypatch.setattr(metrics, "today", lambda: today() + timedelta(days=1))
    assert f"{line} 0\n" in told_by(site, "/metrics")[0][1]
