"""The page as files: the same bytes for everyone, and one hash that a browser holds them against."""

import re
from base64 import b64encode
from hashlib import sha256, sha384

import pytest

import deniable as dn
from browser.surveys import showcase, surveys
from deniable.errors import BadRequest
from deniable.web import page


def test_scripts_are_held_against_the_hash_in_the_page():
    html = page.respondent_page(showcase(), "0" * 64)
    for name, file in page.static_files().items():
        digest = f"sha384-{b64encode(sha384(file.content).digest()).decode()}"
        assert file.integrity == digest
        assert (digest in html) == (name in ("survey.js", "style.css"))
    assert re.findall(r'<script(?! type="module" src=)', html) == []


def test_the_single_file_has_the_same_script_and_lets_no_other_run():
    design = showcase()
    html = page.offline_page(design, "https://survey.example.org/")
    assert html == page.offline_page(design, "https://survey.example.org")
    script = page.static_files()["survey.js"].content.decode()
    assert f'<script type="module">{script}</script>' in html
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in html
    assert "connect-src https://survey.example.org;" in html
    assert not re.search(r"\b(src|href)=", html.replace(script, ""))


def test_nothing_of_a_survey_is_in_the_page_but_title_and_fingerprint():
    one, other = surveys()["opposite"], surveys()["own coin"]
    renamed = (
        page.respondent_page(one, "0" * 64).replace(one.title, other.title).replace(one.fingerprint, other.fingerprint)
    )
    assert renamed == page.respondent_page(other, "0" * 64)


@pytest.mark.parametrize("site", ["survey.example.org", "ftp://a", "javascript:alert(1)"])
def test_a_site_without_an_address_is_refused(site):
    design = dn.Design([dn.warner(0.8, dn.yes_no("a"))])
    with pytest.raises(BadRequest, match="--url"):
        page.offline_page(design, site)


def test_a_site_s_address_cannot_smuggle_in_a_policy():
    design = dn.Design([dn.warner(0.8, dn.yes_no("a"))])
    html = page.offline_page(design, "https://a.example; script-src *")
    assert "connect-src https://a.example;" in html
    assert "script-src *" not in html.split("</head>")[0].split("<style>")[0]


def test_every_module_is_part_of_the_script():
    names = {name.removesuffix(".js") for name in page.modules()}
    assert names >= {"page", "lottery", "randomness", "own", "model", "reply", "send", "promise", "form"}
    assert len(page.modules()) == len(names)
