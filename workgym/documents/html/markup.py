"""The tokens of a web page with their places in the source (HTML standard, 13.2.5): tags, text, comments, raw text.

Linear in the length of the source. What browsers repair in a tag (attributes twice, quotes left out) is repaired; a
source that ends inside a tag, a comment or a script is refused as truncated.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from workgym.documents.decoding import Text
from workgym.documents.limits import LIMITS, check
from workgym.errors import Unreadable

RAW = frozenset("script style xmp iframe noembed noframes".split())
"""Elements whose content is no markup and no text."""
WRITTEN = frozenset(("title", "textarea"))
"""Elements whose content is text with character references, but without tags."""
SPACE = "\t\n\f\r "
"""White space in HTML; a no-break space is none."""

_MARKUP = re.compile(r"<(?=[A-Za-z!?]|/[^\s])")
_NAME = re.compile(r"[A-Za-z][^\t\n\f\r />]*")
_GAP = re.compile(r"[\t\n\f\r /]*")
_ATTRIBUTE = re.compile(r"=?[^\t\n\f\r />=]*")
_EQUALS = re.compile(r"[\t\n\f\r ]*=[\t\n\f\r ]*")
_BARE = re.compile(r"[^\t\n\f\r >]*")
_COMMENT_END = re.compile(r"--!?>")
REFERENCE = re.compile(r"&(?:#\d+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]{1,31};?)")
"""What may be a character reference."""
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
_MEANT |= {"euc_kr": "cp949", "big5": "big5hkscs", "iso8859-9": "cp1254", "tis-620": "cp874", "utf-16": "utf-8"}
_MEANT |= {"utf-16-le": "utf-8", "utf-16-be": "utf-8"}
_PRESCAN = 4096
_PLAIN = re.compile(r"(?:iso8859|cp|koi8|mac|windows|utf-8|gb18030|big5|euc|shift)", re.IGNORECASE)


class Token(NamedTuple):
    """A piece of a page's source."""

    kind: Literal["text", "start", "end", "comment", "raw"]
    """``raw`` is what stands in a script or style; ``comment`` what stands in a comment or a declaration."""
    start: int
    """Its first character."""
    end: int
    """One past its last character."""
    name: str = ""
    """Of a tag or of raw content, the element's name in small letters."""
    attributes: Mapping[str, str] = {}
    """Of a start tag, names in small letters and values without character references."""


def decode(path: str, content: bytes) -> Text:
    """By the byte order mark, else the encoding that a ``meta`` tag names, else UTF-8 or Windows-1252.

    Bytes that the encoding does not know stay as lone surrogates, so that they survive an edit. Raises
    :class:`Unreadable`.
    """
    check(path, len(content), LIMITS.file_bytes, "bytes")
    mark, encoding = next(((mark, name) for mark, name in _BOMS if content.startswith(mark)), (b"", ""))
    if not mark:
        encoding = _declared(content)
    try:
        body = content[len(mark) :].decode(encoding, "surrogateescape")
    except (UnicodeError, LookupError) as error:
        raise Unreadable(path, "corrupt", f"it is not valid {encoding}") from error
    if _CONTROL.search(body):
        raise Unreadable(path, "corrupt", "it holds control characters: it is not text")
    check(path, len(body), LIMITS.characters, "characters")
    return Text(body, encoding, mark)


def _declared(content: bytes) -> str:
    found = _META.search(content[:_PRESCAN])
    if found is not None:
        try:
            name = codecs.lookup(found[1].decode("ascii")).name
        except LookupError:
            name = ""
        name = _MEANT.get(name, name)
        if _PLAIN.match(name):
            return name
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        cut = error.start > len(content) - 4 and error.reason == "unexpected end of data"
        return "utf-8" if cut or found is not None else "cp1252"
    return "utf-8"


@lru_cache(maxsize=4096)
def referred(written: str) -> str:
    """The characters of one reference (``&amp;``), or ``written`` itself where it is none."""
    if len(written) > 12 and written.startswith("&#"):
        return "\ufffd"
    return html.unescape(written)


def unescaped(text: str) -> str:
    """A text with the characters that its references mean."""
    return REFERENCE.sub(lambda match: referred(match[0]), text) if "&" in text else text


def tokens(path: str, source: str) -> Iterator[Token]:
    """The tokens of a page, without gaps but for the ends of tags. Raises :class:`Unreadable` (``truncated``)."""
    at, size, tags = 0, len(source), 0
    while at < size:
        found = _MARKUP.search(source, at)
        start = found.start() if found is not None else size
        if at < start:
            yield Token("text", at, start)
        if found is None:
            return
        token = _markup(path, source, start)
        yield token
        at = token.end
        tags += 1
        check(path, tags, 1_000_000, "tags and comments")
        if token.kind == "start":
            if token.name == "plaintext":
                yield Token("text", at, size)
                return
            if token.name in RAW or token.name in WRITTEN:
                close = re.compile(rf"</{token.name}(?=[\t\n\f\r />])", re.IGNORECASE).search(source, at)
                if close is None:
                    raise Unreadable(path, "truncated", f"it ends inside <{token.name}>")
                yield Token("raw", at, close.start(), token.name)
                at = close.start()


def _markup(path: str, source: str, at: int) -> Token:
    """The tag or comment that begins at ``at``."""
    if source.startswith("<!--", at):
        closing = _COMMENT_END.search(source, at + 2)
        if closing is None:
            raise Unreadable(path, "truncated", "it ends inside a comment")
        return Token("comment", at, closing.end())
    name = _NAME.match(source, at + 2 if source[at + 1] == "/" else at + 1)
    if name is None:
        end = source.find(">", at + 2)
        if end < 0:
            raise Unreadable(path, "truncated", "it ends inside a declaration")
        return Token("comment", at, end + 1)
    attributes, end = _attributes(path, source, name.end())
    return Token("end" if source[at + 1] == "/" else "start", at, end, name[0].lower(), attributes)


def _attributes(path: str, source: str, at: int) -> tuple[dict[str, str], int]:
    """The attributes of a tag, and the place behind it."""
    found: dict[str, str] = {}
    while True:
        gap = _GAP.match(source, at)
        at = gap.end() if gap is not None else at
        if at >= len(source):
            raise Unreadable(path, "truncated", "it ends inside a tag")
        if source[at] == ">":
            return found, at + 1
        name = _ATTRIBUTE.match(source, at)
        start, at = at, name.end() if name is not None else at
        key, value = source[start:at].lower(), ""
        equals = _EQUALS.match(source, at)
        if equals is not None:
            at = equals.end()
            quote = source[at : at + 1]
            if quote in ('"', "'") and quote:
                end = source.find(quote, at + 1)
                if end < 0:
                    raise Unreadable(path, "truncated", "it ends inside a tag")
                value, at = source[at + 1 : end], end + 1
            else:
                bare = _BARE.match(source, at)
                end = bare.end() if bare is not None else at
                value, at = source[at:end], end
        if key not in found:
            found[key] = unescaped(value)


def comment_text(source: str, token: Token) -> str:
    """What a comment says; nothing for a document type."""
    written = source[token.start : token.end]
    if written.startswith("<!--"):
        return re.sub(r"--!?>$", "", written[4:]).strip()
    return "" if written[:9].lower() == "<!doctype" else written[2:-1].strip()
