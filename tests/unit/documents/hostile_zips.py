"""Hostile containers, alone and as Office files: bombs, lies in the directory, names, passwords, nesting."""

from __future__ import annotations

import struct
import zlib

from .hostile import Packed, container, hostile, part, repeated, sound, zipped

OFFICE = {"a.xlsx": "xl/worksheets/sheet1.xml", "a.docx": "word/document.xml", "a.pptx": "ppt/slides/slide1.xml"}
MIB = 1 << 20


def _office_cases() -> None:
    for path, main in OFFICE.items():
        _flat(path, main)


def _flat(path: str, main: str) -> None:
    other = f"{main.partition('/')[0]}/media/image1.xml"

    @hostile("bomb", path)
    def flat_bomb() -> bytes:
        return container(sound(path), {main: repeated(b"", b" ", 1024 * MIB, b"")})

    @hostile("bomb", path)
    def flat_bomb_beside_the_main_part() -> bytes:
        return container(sound(path), {other: repeated(b"<a>", b"<b/>", 256 * MIB, b"</a>")})

    @hostile("bomb", path)
    def many_small_bombs() -> bytes:
        bomb = repeated(b"<a>", b"x", 4 * MIB - 8, b"</a>")
        return container(sound(path), {f"{other}{number}": bomb for number in range(40)})

    @hostile("over-limit", path)
    def very_many_parts() -> bytes:
        return container(sound(path), {f"{other}{number}": b"<a/>" for number in range(5_000)})

    @hostile("over-limit bomb read", path, slow=True)
    def text_in_parts_that_nobody_reads() -> bytes:
        bomb = repeated(b"<a>", b"<b>some text</b>", 200_000, b"</a>")
        return container(sound(path), {f"custom/{number}.xml": bomb for number in range(30)})

    @hostile("corrupt", path)
    def a_part_that_lies_about_its_size() -> bytes:
        honest = repeated(b"", b" ", 300 * MIB, b"")
        return container(sound(path), {main: honest._replace(size=1000)})

    @hostile("corrupt", path)
    def a_part_shorter_than_it_says() -> bytes:
        whole = Packed(*repeated(part(sound(path), main), b" ", 10, b""))
        return container(sound(path), {main: whole._replace(size=3 * MIB)})

    @hostile("encrypted", path)
    def a_password_on_every_part() -> bytes:
        return container(sound(path), {}, flags=1)

    @hostile("encrypted", path)
    def a_password_by_the_office() -> bytes:
        return compound("EncryptedPackage")

    @hostile("corrupt", path)
    def an_old_binary_file() -> bytes:
        return compound("WordDocument")

    @hostile("corrupt read unknown-format", path)
    def parts_packed_in_an_odd_way() -> bytes:
        return container(sound(path), {main: part(sound(path), main)}, method=14)

    @hostile("corrupt", path)
    def entities() -> bytes:
        return container(sound(path), {main: laughs(part(sound(path), main))})

    @hostile("corrupt", path)
    def an_external_entity() -> bytes:
        head = b'<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]>'
        return container(sound(path), {main: headed(part(sound(path), main), head)})

    @hostile("corrupt", path)
    def an_entity_in_another_encoding() -> bytes:
        xml = laughs(part(sound(path), main)).decode().replace("UTF-8", "UTF-16")
        return container(sound(path), {main: xml.encode("utf-16")})

    @hostile("corrupt", path)
    def an_entity_in_utf_7() -> bytes:
        xml = laughs(part(sound(path), main)).decode().replace("UTF-8", "UTF-7")
        return container(sound(path), {main: xml.encode("utf-7")})

    @hostile("read corrupt over-limit", path)
    def deep_xml() -> bytes:
        return container(sound(path), {main: nested(part(sound(path), main), b"<a>", b"</a>", 1_000_000)})

    @hostile("over-limit corrupt bomb", path)
    def millions_of_tags() -> bytes:
        return container(sound(path), {main: nested(part(sound(path), main), b"<a/>", b"", 9_000_000)})

    @hostile("read over-limit corrupt bomb", path)
    def millions_of_attributes() -> bytes:
        unit = b"<a " + b" ".join(b'q%d="%d"' % (n, n) for n in range(100)) + b"/>"
        return container(sound(path), {main: nested(part(sound(path), main), unit, b"", 20_000)})

    @hostile("read over-limit corrupt bomb", path)
    def one_tag_of_a_million_attributes() -> bytes:
        unit = b"<a " + b" ".join(b'q%d=""' % n for n in range(1_000_000)) + b"/>"
        return container(sound(path), {main: nested(part(sound(path), main), unit, b"", 1)})

    @hostile("read corrupt", path)
    def relations_in_a_circle() -> bytes:
        rels = "/_rels/".join(main.rpartition("/")[::2]) + ".rels"
        kinds = ("slideLayout", "slideMaster", "notesSlide", "drawing", "chart", "header", "footnotes", "styles")
        links = "".join(
            f'<Relationship Id="r{number}" Type="http://x/{kind}" Target="/{main}"/>'
            for number, kind in enumerate(kinds)
        )
        return container(sound(path), {rels: f"<Relationships>{links}</Relationships>".encode()})

    @hostile("read corrupt over-limit", path)
    def a_million_relations() -> bytes:
        rels = "/_rels/".join(main.rpartition("/")[::2]) + ".rels"
        links = b"".join(b'<Relationship Id="r%d" Type="a/b" Target="../x"/>' % n for n in range(700_000))
        return container(sound(path), {rels: b"<Relationships>" + links + b"</Relationships>"})

    @hostile("read", path)
    def names_with_control_characters() -> bytes:
        return container(sound(path), {"xl/a\nb\x1b[31m.xml": b"<a>text</a>", "../../etc/x.xml": b"<a>text</a>"})

    @hostile("bomb", path)
    def a_bomb_whose_name_breaks_the_line() -> bytes:
        return container(sound(path), {"xl/a\nb\x1b[31m" + "c" * 60_000: repeated(b"", b" ", 300 * MIB, b"")})

    @hostile("read", path)
    def macros() -> bytes:
        return container(sound(path), {f"{main.partition('/')[0]}/vbaProject.bin": compound("VBA") + b"Shell(cmd)"})

    @hostile("truncated corrupt read", path)
    def a_directory_that_claims_too_much() -> bytes:
        made = bytearray(sound(path))
        at = made.rfind(b"PK\x05\x06")
        made[at + 8 : at + 12] = b"\xff\xff\xff\xff"
        return bytes(made)

    @hostile("corrupt truncated read", path)
    def offsets_beyond_the_file() -> bytes:
        made = bytearray(sound(path))
        at = made.find(b"PK\x01\x02")
        made[at + 42 : at + 46] = b"\xfe\xff\xff\x7f"
        return bytes(made)


def compound(stream: str) -> bytes:
    """An OLE container (MS-CFB) with one stream of that name: its header, one table of sectors, its directory."""
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H", 62, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<9L", 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0) + struct.pack("<L", 0)
    header += b"\xff" * (512 - len(header))
    table = struct.pack("<3L", 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFE) + b"\xff" * 500
    entries = b"".join(_entry(name, kind) for name, kind in (("Root Entry", 5), (stream, 2), ("", 0), ("", 0)))
    return header + table + entries + bytes(512)


def _entry(name: str, kind: int) -> bytes:
    encoded = name.encode("utf-16-le")
    entry = encoded.ljust(64, b"\0") + struct.pack(
        "<HBB3L", len(encoded) + 2 if name else 0, kind, 1, *[0xFFFFFFFF] * 3
    )
    return entry + bytes(36) + struct.pack("<LQ", 2, 512 if kind == 2 else 0)


def headed(xml: bytes, head: bytes) -> bytes:
    """XML with something behind its declaration."""
    first, mark, rest = xml.partition(b"?>")
    return first + mark + head + rest if mark else head + xml


def laughs(xml: bytes) -> bytes:
    """XML that declares entities which grow to 10^9 times ``ha``."""
    entities = b'<!ENTITY e0 "ha">' + b"".join(
        b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10)
    )
    first, mark, rest = headed(xml, b"<!DOCTYPE a [" + entities + b"]>").rpartition(b"</")
    return first + b"&e9;" + mark + rest


def nested(xml: bytes, opening: bytes, closing: bytes, times: int) -> Packed:
    """XML with so many more elements just before its last end tag, one in another if ``closing`` is given."""
    first, mark, rest = xml.rpartition(b"</")
    if not closing:
        return repeated(first, opening, times, mark + rest)
    whole = first + opening * times + closing * times + mark + rest
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    return Packed(packer.compress(whole) + packer.flush(), zlib.crc32(whole), len(whole))


_office_cases()


@hostile("bomb", "a.zip")
def a_flat_bomb() -> bytes:
    return zipped([("zeros.txt", repeated(b"", b"\0", 4096 * MIB - 2, b""))])


@hostile("bomb read", "a.zip")
def overlapping_entries() -> bytes:
    """After D. Fifield, A better zip bomb (2019): all entries of the directory share one packed kernel."""
    kernel = repeated(b"", b"line\n", 3 * MIB // 5, b"")
    one = zipped([("0.txt", kernel)])
    start = one.find(b"PK\x01\x02")
    entry = one[start : one.find(b"PK\x05\x06")]
    many = b"".join(entry[:46] + f"{number:05}.txt".encode() for number in range(1500))
    many = many.replace(entry[:28] + struct.pack("<H", 5), entry[:28] + struct.pack("<H", 9))
    return one[:start] + many + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1500, 1500, len(many), start, 0)


@hostile("read", "a.zip")
def archives_in_archives() -> bytes:
    made = zipped([("0.txt", repeated(b"", b"0", 3 * MIB, b""))])
    for _ in range(40):
        made = zipped([("next.zip", made)])
    return made


@hostile("read", "a.zip")
def sixteen_archives_in_each() -> bytes:
    made = zipped([("0.txt", repeated(b"", b"0\n", MIB, b""))])
    for _ in range(5):
        made = zipped([(f"{number}.zip", made) for number in range(16)])
    return made


@hostile("read", "a.zip")
def five_hundred_hostile_workbooks() -> bytes:
    bad = sound("a.xlsx")[:400]
    return zipped([(f"{number}.xlsx", bad) for number in range(500)])


@hostile("read", "a.zip", slow=True)
def five_hundred_full_tables() -> bytes:
    table = repeated(b"", b"1,2,3,4,5,6,7,8\n", 15_000, b"")
    return zipped([(f"{number}.csv", table) for number in range(500)])


@hostile("over-limit", "a.zip")
def too_many_files() -> bytes:
    return zipped([(f"{number}.txt", b"x") for number in range(5_000)])


@hostile("encrypted", "a.zip")
def a_password() -> bytes:
    return zipped([("a.txt", b"secret" * 10)], flags=1)


@hostile("corrupt", "a.zip")
def a_way_out_of_the_folder() -> bytes:
    return zipped([("../../etc/cron.d/x.txt", b"x")])


@hostile("corrupt", "a.zip")
def a_name_that_breaks_the_line() -> bytes:
    return zipped([("a\nb\x1b[2J.txt", b"x")])


@hostile("read", "a.zip")
def a_name_as_long_as_can_be() -> bytes:
    return zipped([("n" * 65_000 + ".txt", b"x"), ("\u202etxt.exe.csv", b"a,b\n")])


@hostile("corrupt", "a.zip")
def the_same_name_twice() -> bytes:
    return zipped([("a.txt", b"x"), ("a.txt", b"y")])


@hostile("read corrupt unknown-format", "a.zip")
def a_dictionary_of_four_gigabytes() -> bytes:
    """LZMA says how much memory its decoder takes."""
    data = b"\x09\x04\x05\x00\x5d" + b"\xff\xff\xff\xff" + bytes(40)
    return zipped([("a.txt", Packed(data, 0, 5 * MIB // 2))], method=14)


@hostile("read corrupt unknown-format", "a.zip")
def garbage_in_bzip2() -> bytes:
    return zipped([("a.txt", Packed(b"BZh9" + b"\xff" * 400, 0, 1000))], method=12)


@hostile("read", "a.zip")
def workbooks_that_are_bombs() -> bytes:
    bomb = container(sound("a.xlsx"), {OFFICE["a.xlsx"]: repeated(b"", b" ", 1024 * MIB, b"")})
    return zipped([("a.xlsx", bomb), ("b.csv", b"a,b\n1,2\n")])


@hostile("corrupt truncated", "a.zip")
def only_an_end() -> bytes:
    return b"PK\x05\x06" + b"\xff" * 18
