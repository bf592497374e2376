"""Addresses of an offline site, and the paths that they stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from workgym.plan import ArtifactSpec, PageSpec
from workgym.records import WebAccess, is_page, page_path, page_url


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://rates.example", "rates.example/index.html"),
        ("https://rates.example/", "rates.example/index.html"),
        ("https://rates.example/reference/march", "rates.example/reference/march.html"),
        ("https://rates.example/reference/march.html", "rates.example/reference/march.html"),
        ("https://rates.example/reference/", "rates.example/reference/index.html"),
        ("https://news.rates.example/v1.2/a_b~c-d", "news.rates.example/v1.2/a_b~c-d.html"),
    ],
)
def test_a_path_is_an_address_without_its_scheme(url: str, path: str) -> None:
    assert page_path(url) == path and is_page(path)
    assert page_path(page_url(path)) == path


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://rates.example/x", "is no address; write https://"),
        ("file:///etc/passwd", "is no address"),
        ("https://rates.com/x", "is no name of a site"),
        ("https://example/x", "is no name of a site"),
        ("https://Rates.example/x", "use small letters"),
        ("https://user@rates.example/x", "is no name of a site"),
        ("https://rates.example:8080/x", "is no name of a site"),
        ("https://-rates.example/x", "is no name of a site"),
        ("https://rates.example/../x", "'..' is no part of an address"),
        ("https://rates.example/a//b", "'' is no part of an address"),
        ("https://rates.example/x?y=1", "'x?y=1' is no part"),
        ("https://rates.example/.hidden", "'.hidden' is no part"),
        ("https://rates.example/é", "is no part of an address"),
        ("https://rates.example/a b", "is no part of an address"),
        ("https://rates.example/" + "x" * 400, "at most 400 characters"),
    ],
)
def test_what_is_no_address_says_so(url: str, says: str) -> None:
    with pytest.raises(ValueError, match=says.replace("?", r"\?").replace(".", r"\.")):
        page_path(url)


@given(st.text(max_size=60))
def test_any_text_is_a_page_or_none_and_never_leaves_its_folder(text: str) -> None:
    if is_page(text):
        assert not {"", ".", ".."} & {*text.split("/")} and "\\" not in text and "//" not in text
        assert text.split("/")[0].endswith(".example") and text.endswith(".html")


def test_shares_and_targets_are_checked() -> None:
    for wrong in (-0.1, 1.0):
        with pytest.raises(ValidationError):
            WebAccess(fetch_failures=wrong)
    with pytest.raises(ValidationError, match="says where to"):
        PageSpec(state="moved")
    with pytest.raises(ValidationError, match="no other page does"):
        PageSpec(moved_to="rates.example/x.html")
    with pytest.raises(ValidationError, match="is no path of a page"):
        ArtifactSpec(path="notes.md", page=PageSpec())


def test_a_file_of_a_plan_is_written_as_it_ever_was() -> None:
    assert "page" not in ArtifactSpec(path="notes.md", template="x").model_dump(mode="json")
    assert ArtifactSpec(path="a.example/x.html", page=PageSpec()).model_dump(mode="json")["page"]["state"] == "live"
