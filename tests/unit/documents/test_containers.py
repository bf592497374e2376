"""Files within files: read as documents of their own, edited without touching what stands beside them."""

from __future__ import annotations

import contextlib
import io
import struct
import zipfile
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workgym.documents import Document, TextEdit, edit, read, read_all
from workgym.documents.limits import LIMITS
from workgym.documents.mbox.envelopes import quoted
from workgym.documents.members import members, replaced
from workgym.errors import DocumentError, EditRefused, Unreadable

CSV = b"id,amount\r\n1,20.50\r\n2,7\r\n"


def zipped(files: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", kind) as archive:
        for number, (name, content) in enumerate(files.items()):
            info = zipfile.ZipInfo(name, (2026, 3, 1 + number, 9, 30, 0))
            info.compress_type = kind
            info.external_attr = 0o640 << 16
            archive.writestr(info, content)
        archive.comment = b"made in March"
    return target.getvalue()


def mail(*attached: tuple[str, bytes, str], html: str = "", text: str = "Dear Ann,\n\nit is 8.5 % now.\nBo\n") -> bytes:
    message = EmailMessage()
    message["From"] = "bo@kestrel.example"
    message["Subject"] = "Freight"
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    for name, content, cte in attached:
        if name.endswith(".eml"):
            inner = EmailMessage()
            inner["Subject"] = "Inner"
            inner.set_content(content.decode())
            message.add_attachment(inner, filename=name)
        else:
            message.add_attachment(content, maintype="text", subtype="csv", filename=name, cte=cte)
    return message.as_bytes()


def set_text(at: str, expected: str, replacement: str) -> TextEdit:
    return TextEdit(at=at, expected=expected, replacement=replacement)


def texts(path: str, content: bytes) -> dict[tuple[str, str], str]:
    whole = read(path, content).whole()
    return {(part.path, fragment.at): fragment.text for part in whole for fragment in part.fragments}


def changed(path: str, before: bytes, after: bytes) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    old, new = texts(path, before), texts(path, after)
    return {at: (old.get(at), new.get(at)) for at in {**old, **new} if old.get(at) != new.get(at)}


@pytest.fixture(scope="module")
def nested() -> bytes:
    box = b"".join(
        b"From bo@kestrel.example Mon Mar  2 09:14:00 2026\n%s\n" % quoted(body)
        for body in (mail(("a.csv", CSV, "base64")), mail(text="Hi\n\nFrom here on\n>From there\n"))
    )
    inner = zipped({"ledger.csv": CSV, "archive.mbox": box}, zipfile.ZIP_STORED)
    return zipped({"folder/": b"", "folder/notes.md": b"# Note\n\n8.5 %\n", "inner.zip": inner, "tool.exe": b"MZ"})


def test_what_lies_in_an_archive(nested: bytes) -> None:
    document = read("march.zip", nested)
    assert [fragment.text for fragment in document.fragments] == [
        *("folder/notes.md", "inner.zip", "tool.exe"),
        "made in March",
    ]
    assert [part.path for part in document.whole()] == [
        "march.zip",
        "march.zip//folder/notes.md",
        "march.zip//inner.zip",
        "march.zip//inner.zip//ledger.csv",
        "march.zip//inner.zip//archive.mbox",
        "march.zip//inner.zip//archive.mbox//1.eml",
        "march.zip//inner.zip//archive.mbox//1.eml//a.csv",
        "march.zip//inner.zip//archive.mbox//2.eml",
    ]
    assert [(refusal.path, refusal.reason) for refusal in document.refused] == [
        ("march.zip//tool.exe", "unknown-format")
    ]
    found = texts("march.zip", nested)
    assert found["march.zip//inner.zip//archive.mbox//1.eml//a.csv", "r2c2"] == "20.50"
    assert found["march.zip//inner.zip//archive.mbox//2.eml", "l3"] == "From here on"
    assert found["march.zip//inner.zip//archive.mbox//2.eml", "l4"] == ">From there"
    assert read_all({"march.zip": nested})["march.zip"] == document


@pytest.mark.parametrize(
    ("path", "at", "old", "new"),
    [
        ("march.zip//folder/notes.md", "l3", "8.5 %", "9 %"),
        ("march.zip//inner.zip//ledger.csv", "r2c2", "20.50", "21"),
        ("march.zip//inner.zip//archive.mbox//1.eml", "l3[6:11]", "8.5 %", "ten"),
        ("march.zip//inner.zip//archive.mbox//1.eml//a.csv", "r3c2", "7", "a, longer text"),
        ("march.zip//inner.zip//archive.mbox//2.eml", "l3", "From here on", ">From nowhere"),
        ("march.zip//inner.zip//archive.mbox//2.eml", "Subject", "Freight", "Fracht"),
    ],
)
def test_an_edit_changes_that_place_alone(nested: bytes, path: str, at: str, old: str, new: str) -> None:
    made = edit(path, nested, [set_text(at, old, new)])
    ((place, (_, said)),) = changed("march.zip", nested, made).items()
    assert place == (path, at.partition("[")[0])
    assert said is not None and new in said
    back = edit(path, made, [set_text(place[1], said, texts("march.zip", nested)[place])])
    assert texts("march.zip", back) == texts("march.zip", nested)


@given(data=st.data())
def test_the_other_members_keep_their_bytes(data: st.DataObject) -> None:
    names = data.draw(
        st.lists(st.text("abé ", min_size=1, max_size=5).map(str.strip).filter(bool), min_size=1, unique=True)
    )
    files = {f"{name}.txt": data.draw(st.binary(max_size=300)) for name in names}
    kind = data.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
    content = zipped(files, kind)
    name, new = data.draw(st.sampled_from(sorted(files))), data.draw(st.binary(max_size=3000))
    made = replaced("a.zip", content, name, new)
    assert dict(members("a.zip", made)) == files | {name: new}
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(io.BytesIO(made)) as now:
        assert now.testzip() is None
        assert (now.comment, now.namelist()) == (old.comment, old.namelist())
        for before, after in zip(old.infolist(), now.infolist(), strict=True):
            assert (before.date_time, before.compress_type, before.external_attr, before.extra) == (
                *(after.date_time, after.compress_type, after.external_attr, after.extra),
            )
            assert before.filename == name or _raw(content, before) == _raw(made, after)
    assert replaced("a.zip", made, name, files[name]) == content


def _raw(content: bytes, info: zipfile.ZipInfo) -> bytes:
    return content[info.header_offset : info.header_offset + 30 + len(info.filename.encode()) + info.compress_size]


def test_an_archive_written_as_a_stream() -> None:
    class Stream(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: object) -> int:
            raise OSError

        def tell(self) -> int:
            raise OSError

    target = Stream()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a.csv", "b.csv", "c.csv"):
            archive.writestr(name, CSV)
    content = target.getvalue()
    made = edit("a.zip//b.csv", content, [set_text("r2c2", "20.50", "21")])
    assert changed("a.zip", content, made) == {("a.zip//b.csv", "r2c2"): ("20.50", "21")}
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.testzip() is None


@pytest.mark.parametrize("cte", ["base64", "quoted-printable", "7bit"])
def test_attachments_in_every_encoding(cte: str) -> None:
    content = mail(("a.csv", CSV.replace(b"\r", b""), cte), ("a.csv", CSV.replace(b"\r", b""), "base64"))
    assert list(members("m.eml", content)) == ["a.csv", "a (2).csv"]
    made = edit("m.eml//a.csv", content, [set_text("r2c2", "20.50", "21 %")])
    assert changed("m.eml", content, made) == {("m.eml//a.csv", "r2c2"): ("20.50", "21 %")}
    if cte == "7bit":
        with pytest.raises(EditRefused, match="7-bit"):
            edit("m.eml//a.csv", content, [set_text("r2c2", "20.50", "21 €")])
    else:
        made = edit("m.eml//a.csv", content, [set_text("r2c2", "20.50", "21 €")])
        assert texts("m.eml", made)["m.eml//a.csv", "r2c2"] == "21 €"


def test_names_of_attachments() -> None:
    odd = [("../../etc/passwd.csv", b"1", "base64"), ("C:\\x\\Bücher.csv", b"2", "base64"), ("fwd", b"3", "base64")]
    content = mail(*odd, ("offer.eml", b"From me: 8.5 %", "")).replace(b'filename="fwd"', b"")
    assert list(members("m.eml", content)) == ["passwd.csv", "Bücher.csv", "attachment3.csv", "offer.eml"]
    made = edit("m.eml//offer.eml", content, [set_text("l1[9:14]", "8.5 %", "9 %")])
    assert changed("m.eml", content, made) == {("m.eml//offer.eml", "l1"): ("From me: 8.5 %", "From me: 9 %")}


HTML = (
    "<html><head><style>p {x: 1}</style></head><body><p>Dear <b>Ann</b>,</p>\n<!-- 8.5 --><p>it is 8.5&nbsp;% now.</p>"
    "<p>Bo</p></body></html>\n"
)


def test_a_body_that_stands_in_html_too() -> None:
    content = mail(html=HTML)
    made = edit("m.eml", content, [set_text("l3[6:11]", "8.5 %", "9 % & <more>")])
    said = "it is 9 % & <more> now."
    assert changed("m.eml", content, made) == {
        ("m.eml", "l3"): ("it is 8.5 % now.", said),
        ("m.eml", "html.l2"): ("it is 8.5 % now.", said),
    }
    table = mail(
        html="<table><tr><td>Lane</td><td>Rate</td></tr><tr><td>a</td><td>8.5</td></tr></table>",
        text="Lane  Rate\n----  ----\na      8.5\n",
    )
    wider = [set_text("l1", "Lane  Rate", "Lane   Rate"), set_text("l2", "----  ----", "-----  -----")]
    made_wider = edit("m.eml", table, [*wider, set_text("l3", "a      8.5", "bcd &  10.5")])
    assert texts("m.eml", made_wider)["m.eml", "html.l2"] == "bcd &  10.5"
    both = [set_text("l3[6:11]", "8.5 %", "9 % & <more>"), set_text("html.l2[6:11]", "8.5 %", "9 % & <more>")]
    assert edit("m.eml", content, both) == made
    cleared = edit("m.eml", content, [TextEdit(at="l1", expected="Dear Ann,", replacement=None, mode="clear")])
    assert texts("m.eml", cleared)["m.eml", "html.l1"] == "it is 8.5 % now."
    for edits, message in (
        (both[1:], "its HTML follows its text"),
        ([both[0], set_text("html.l2", "it is 8.5 % now.", "it is not")], "the HTML says what the text body says"),
        ([set_text("l2", "", "new")], "there is no such line"),
        ([set_text("l1[2:6]", "ar A", "or B")], "in several pieces"),
    ):
        with pytest.raises(EditRefused, match=message):
            edit("m.eml", content, edits)
    with pytest.raises(EditRefused, match="there the line is another"):
        edit("m.eml", mail(html=HTML.replace("Bo", "Bob")), [set_text("l4", "Bo", "Al")])


def test_what_is_refused(nested: bytes) -> None:
    with pytest.raises(EditRefused, match=r"holds no other\.csv"):
        edit("march.zip//other.csv", nested, [set_text("r1c1", "x", "y")])
    with pytest.raises(EditRefused, match=r"a\.csv holds no files"):
        replaced("a.csv", CSV, "b.csv", b"")
    with pytest.raises(EditRefused, match="edited file by file"):
        edit("march.zip", nested, [set_text("m1", "folder/notes.md", "x")])
    with pytest.raises(EditRefused, match="holds no"):
        replaced("a.mbox", b"From a Mon Mar  2 09:14:00 2026\nSubject: x\n\nHi\n", "2.eml", b"")


def refusal(path: str, content: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        read(path, content)
    assert "\n" not in str(caught.value)
    return caught.value.reason


def renamed(content: bytes, old: str, new: str) -> bytes:
    assert len(old) == len(new)
    return content.replace(old.encode(), new.encode())


@pytest.mark.parametrize("name", ["../abc.csv", "/abcde.csv", "a\\bcde.csv", "C:bcde.csv", "a//bcd.csv", "a\nbcde.csv"])
def test_names_that_lead_out_of_an_archive(name: str) -> None:
    assert (
        refusal("a.zip", renamed(zipped({"0123456789"[: len(name)]: CSV}), "0123456789"[: len(name)], name))
        == "corrupt"
    )


def test_archives_that_mean_harm(nested: bytes) -> None:
    assert refusal("a.zip", zipped({"a.csv": b" " * 30_000_000})) == "bomb"
    assert refusal("a.zip", renamed(zipped({"a.csv": CSV, "b.csv": CSV}), "b.csv", "a.csv")) == "corrupt"
    locked = bytearray(zipped({"a.csv": CSV}))
    locked[locked.rfind(b"PK\x01\x02") + 8] |= 1
    assert refusal("a.zip", bytes(locked)) == "encrypted"
    assert refusal("a.zip", nested[:-60]) == "truncated"
    assert refusal("a.zip", b"") == "corrupt"
    assert refusal("a.zip", zipped({f"{n}.txt": b"x" for n in range(LIMITS.members + 1)})) == "over-limit"
    assert refusal("a.mbox", b"Subject: x\n\nno envelope\n") == "corrupt"
    assert refusal("a.mbox", b" \n") == "truncated"
    many = b"From a Mon Mar  2 09:14:00 2026\nSubject: x\n\nHi\n\n" * (LIMITS.members + 1)
    assert refusal("a.mbox", many) == "over-limit"


def test_a_damaged_member_spoils_no_other() -> None:
    bad = bytearray(zipped({"a.csv": CSV, "b.csv": CSV}, zipfile.ZIP_STORED))
    bad[bad.index(CSV) + 3] ^= 1
    document = read("a.zip", bytes(bad))
    assert [part.path for part in document.members] == ["a.zip//b.csv"]
    assert [(refusal.path, refusal.reason) for refusal in document.refused] == [("a.zip//a.csv", "corrupt")]
    broken = mail(("a.csv", CSV, "base64")).replace(b"aWQsYW1v", b"!!!!!!!!")
    assert [refusal.path for refusal in read("m.eml", broken).refused] == ["m.eml//a.csv"]


def test_too_deep_and_too_much_in_all() -> None:
    deep = CSV
    for number in range(LIMITS.containers + 2):
        deep = zipped({f"{number}.zip" if number else "a.csv": deep})
    paths = list(read("a.zip", deep).whole())
    assert len(paths) == LIMITS.containers + 1
    assert [refusal.reason for refusal in paths[-1].refused] == ["over-limit"]
    leaf = zipped({f"{n}.txt": b"x" for n in range(100)})
    wide = read("a.zip", zipped({f"{n}.zip": leaf for n in range(20)}))
    assert sum(1 for _ in wide.whole()) <= LIMITS.members + 1
    assert {refusal.reason for part in wide.whole() for refusal in part.refused} == {"over-limit"}
    page = bytes(range(32, 127)) * 30_000  # each archive of these packs well, and stays under the limits alone
    inner = zipped({f"{n}.bin": page for n in range(40)})
    heavy = read("a.zip", zipped({f"{n}.zip": inner for n in range(20)}))
    assert any(refusal.reason == "over-limit" for part in heavy.whole() for refusal in part.refused)


@given(data=st.data())
def test_random_damage(data: st.DataObject, nested: bytes) -> None:
    name, content = data.draw(
        st.sampled_from(
            [
                ("a.zip", nested),
                ("a.eml", mail(("a.csv", CSV, "base64"), ("b.eml", b"x", ""), html=HTML)),
                ("a.mbox", b"From a Mon Mar  2 09:14:00 2026\n" + mail(("a.csv", CSV, "7bit"))),
            ]
        )
    )
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        damaged[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    try:
        document = read(name, bytes(damaged))
        for part in document.whole():
            if part.fragments:
                first = part.fragments[0]
                edit(part.path, bytes(damaged), [set_text(first.at, first.text, "x")])
    except DocumentError:
        pass


@given(content=st.binary(max_size=200), name=st.sampled_from(["a.zip", "a.mbox", "a.eml"]))
def test_random_bytes(content: bytes, name: str) -> None:
    head = {"a.zip": b"PK", "a.mbox": b"From a Mon Mar  2 09:14:00 2026\n", "a.eml": b"Subject: x\n"}[name]
    for made in (content, head + content):
        with contextlib.suppress(Unreadable):
            assert isinstance(read(name, made), Document)


def test_a_directory_that_lies_about_offsets() -> None:
    content = bytearray(zipped({"a.csv": CSV, "b.csv": CSV}))
    second = content.rfind(b"PK\x01\x02")
    struct.pack_into("<L", content, second + 42, 5)
    with pytest.raises(DocumentError):
        edit("a.zip//b.csv", bytes(content), [set_text("r2c2", "20.50", "x")])
