"""Hostile data files and pictures: tables, trees, calendars and cards."""

from __future__ import annotations

import io
import json
import struct
import zlib

from PIL import Image

from .hostile import hostile

MIB = 1 << 20
PLAIN = ("a.txt", "a.log", "a.py", "a.md")


@hostile("over-limit", "a.csv", "a.tsv", *PLAIN)
def a_million_lines() -> bytes:
    return b"".join(b"%d,x\n" % number for number in range(1_048_576))


@hostile("over-limit read corrupt", "a.csv", "a.json", "a.xml", "a.html", "a.eml", "a.ics", "a.mbox", "a.md")
def one_line_of_thirty_megabytes() -> bytes:
    return b"x" * (30 * MIB)


@hostile(
    "over-limit",
    "a.csv",
    "a.tsv",
    "a.json",
    "a.yaml",
    "a.xml",
    "a.html",
    "a.eml",
    "a.ics",
    "a.vcf",
    "a.mbox",
    "a.sqlite",
    "a.png",
    "a.jpg",
    "a.pdf",
    "a.zip",
    "a.xlsx",
    *PLAIN,
)
def larger_than_any_file() -> bytes:
    return b"x" * (33 * MIB)


@hostile("over-limit", "a.csv", "a.tsv", slow=True)
def one_row_of_ten_million_fields() -> bytes:
    return b",\t" * 10_000_000


@hostile("corrupt read", "a.csv", "a.tsv")
def a_quote_that_never_ends() -> bytes:
    return b'a,b\n1,"' + b'x""' * 3_000_000


@hostile("corrupt read", "a.csv", "a.tsv")
def quotes_and_nothing_else() -> bytes:
    return b'"' * 3_000_001


@hostile("corrupt over-limit read", "a.md")
def tables_and_fences() -> bytes:
    return (
        b"|" * 2_000_000
        + b"\n"
        + b"|-" * 1_000_000
        + b"\n"
        + b"|a" * 1_000_000
        + b"\n"
        + b"```\n" * 50_000
        + b"-" * 500_000
    )


@hostile("corrupt", "a.txt", "a.csv", "a.json", "a.yaml", "a.xml", "a.html", "a.ics", "a.vcf")
def bytes_that_are_no_text() -> bytes:
    return bytes(range(256)) * 10_000


@hostile("over-limit", "a.json")
def lists_in_lists() -> bytes:
    return b"[" * 10_000_000


@hostile("over-limit corrupt", "a.json")
def objects_in_objects() -> bytes:
    return b'{"a":' * 3_000_000


@hostile("over-limit", "a.json")
def millions_of_numbers() -> bytes:
    return b"[" + b"1," * 10_000_000 + b"1]"


@hostile("over-limit", "a.json", slow=True)
def millions_of_empty_lists() -> bytes:
    return b"[" + b"[]," * 6_000_000 + b"1]"


@hostile("over-limit", "a.json", slow=True)
def millions_of_empty_objects() -> bytes:
    return b"[" + b"{}," * 6_000_000 + b"1]"


@hostile("read over-limit", "a.json", "a.yaml")
def numbers_of_a_million_digits() -> bytes:
    return b'{"a": ' + b"9" * 3_000_000 + b', "b": 1e' + b"9" * 1_000_000 + b"}"


@hostile("read over-limit", "a.json")
def keys_that_are_long_and_deep() -> bytes:
    key = "k" * 100_000
    made = ('{"' + key + '":') * 90 + "[" + "1," * 2_000 + "1]" + "}" * 90
    return made.encode()


@hostile("corrupt", "a.json")
def half_characters() -> bytes:
    return json.dumps(["\ud800", {"\udfff": "\ud800\udc00"}]).encode()


@hostile("corrupt over-limit", "a.yaml")
def billion_laughs_in_yaml() -> bytes:
    lines = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return "\n".join(lines).encode()


@hostile("corrupt over-limit", "a.yaml")
def merges_that_grow() -> bytes:
    lines = ["a0: &a0 {k0: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: {{<<: *a{n - 1}}}}}" for n in range(1, 60)]
    return "\n".join(lines).encode()


@hostile("corrupt", "a.yaml")
def an_alias_of_itself() -> bytes:
    return b"&a [*a, *a]"


@hostile("corrupt", "a.yaml")
def yaml_that_makes_objects() -> bytes:
    return b'!!python/object/apply:os.system ["touch /tmp/owned"]'


@hostile("over-limit corrupt", "a.yaml")
def flow_in_flow() -> bytes:
    return b"[" * 1_000_000


@hostile("over-limit corrupt", "a.yaml")
def blocks_in_blocks() -> bytes:
    return b"".join(b" " * number + b"a:\n" for number in range(2_000))


@hostile("over-limit corrupt", "a.yaml")
def dashes_in_a_row() -> bytes:
    return b"- " * 1_500_000


@hostile("over-limit corrupt read", "a.yaml", slow=True)
def millions_of_documents() -> bytes:
    return b"---\n" * 900_000


@hostile("corrupt", "a.xml")
def billion_laughs_in_xml() -> bytes:
    entities = b'<!ENTITY e0 "ha">' + b"".join(
        b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10)
    )
    return b"<!DOCTYPE a [" + entities + b"]><a>&e9;</a>"


@hostile("corrupt", "a.xml")
def a_file_from_outside() -> bytes:
    return b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


@hostile("corrupt over-limit", "a.xml")
def elements_in_elements() -> bytes:
    return b"<a>" * 5_000_000


@hostile("over-limit corrupt", "a.xml")
def millions_of_elements() -> bytes:
    return b"<a>" + b"<b/>" * 4_000_000 + b"</a>"


@hostile("over-limit corrupt", "a.xml", slow=True)
def an_element_of_a_million_attributes() -> bytes:
    return b"<a " + b" ".join(b'q%d=""' % number for number in range(1_000_000)) + b"/>"


@hostile("read over-limit", "a.xml")
def names_that_are_long_and_deep() -> bytes:
    name = b"n" * 50_000
    return (
        b"".join(b"<%s>" % name for _ in range(90)) + b"<v>1</v>" * 2_000 + b"".join(b"</%s>" % name for _ in range(90))
    )


@hostile("over-limit corrupt", "a.xml")
def millions_of_comments() -> bytes:
    return b"<a>" + b"<!---->" * 2_000_000 + b"</a>"


def _calendar(lines: bytes) -> bytes:
    return b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + lines + b"END:VCALENDAR\r\n"


@hostile("read", "a.ics")
def an_event_that_repeats_for_ever() -> bytes:
    event = (
        b"BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260101T090000Z\r\nRRULE:FREQ=SECONDLY;COUNT=2147483647\r\nEND:VEVENT\r\n"
    )
    return _calendar(event)


@hostile("over-limit read corrupt", "a.ics", "a.vcf")
def a_line_of_millions_of_folds() -> bytes:
    calendar = _calendar(b"X-LONG:a" + b"\r\n b" * 3_000_000 + b"\r\n")
    return calendar


@hostile("over-limit", "a.ics", "a.vcf")
def millions_of_short_lines() -> bytes:
    return b"BEGIN:VCARD\r\n" + b"X:1\r\n" * 3_000_000


@hostile("over-limit", "a.ics")
def components_in_components() -> bytes:
    return b"BEGIN:VCALENDAR\r\n" + b"BEGIN:VEVENT\r\n" * 1_000_000


@hostile("corrupt read over-limit", "a.ics", "a.vcf")
def parameters_that_are_tried_in_every_way() -> bytes:
    return (
        b"BEGIN:VCALENDAR\r\nX"
        + b";a=b;" * 200_000
        + b"\r\nX"
        + b';a="' * 200_000
        + b"\r\nX"
        + b";a" * 400_000
        + b"\r\n"
    )


def _png(width: int, height: int, *chunks: tuple[bytes, bytes]) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    made = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", head), *chunks, (b"IEND", b"")):
        made += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return made


@hostile("over-limit", "a.png")
def a_picture_of_billions_of_pixels() -> bytes:
    return _png(50_000, 50_000, (b"IDAT", b"x"))


@hostile("over-limit", "a.jpg")
def a_photo_of_billions_of_pixels() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (8, 8)).save(target, "JPEG")
    made = bytearray(target.getvalue())
    at = made.find(b"\xff\xc0")
    made[at + 5 : at + 9] = b"\xff\xff\xff\xff"
    return bytes(made)


@hostile("read", "a.png", "a.jpg")
def a_picture_as_large_as_may_be() -> bytes:
    target = io.BytesIO()
    Image.new("L", (8_000, 5_000)).save(target, "PNG", compress_level=1)
    return target.getvalue()


@hostile("corrupt over-limit read truncated", "a.png")
def text_chunks_that_are_bombs() -> bytes:
    bomb = b"Title\0\0" + zlib.compress(b"x" * (60 * MIB), 9)
    return _png(8, 8, *[(b"zTXt", bomb)] * 20, (b"IDAT", zlib.compress(b"\0" * 25 * 8)))


@hostile("corrupt over-limit read truncated", "a.png")
def pixels_that_go_on_for_ever() -> bytes:
    return _png(8, 8, (b"IDAT", zlib.compress(b"\0" * (200 * MIB), 9)))


@hostile("corrupt truncated read", "a.jpg", slow=True)
def markers_and_nothing_else() -> bytes:
    return b"\xff\xd8" + b"\xff\xe1\x00\x02" * 5_000_000
