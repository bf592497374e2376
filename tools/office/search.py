# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Search over all files of a folder, with the place of each find. Libraries are imported where they are used."""

import fnmatch
import os
import re

from .access import READERS, office_file, part
from .documents import document_lines, presentation_lines
from .mails import calendar_lines, mail_lines
from .pages import page_lines
from .workbooks import workbook_cells

MOST_FINDS = 5_000
MOST_FILES = 2_000
MOST_BYTES = 20 << 20
AT_ONCE = 200
AROUND = 120
"""Characters shown on each side of what was found."""


class NoText(Exception):
    """A file that is neither an office file nor text."""


def search_documents(guest, query, path=".", glob="*", regex=False, match_case=False, offset=1):
    try:
        wanted = re.compile(query if regex else re.escape(query), 0 if match_case else re.IGNORECASE)
    except re.error as error:
        raise guest.ToolError(
            f"{query} is no regular expression: {error}. Leave regex out to search for the text as it stands."
        ) from None
    files = _files(guest, path, glob)
    finds, counts, failed = [], {}, []
    for file in files[:MOST_FILES]:
        for place, text in _texts(guest, file, failed):
            match = wanted.search(text)
            if match is None:
                continue
            counts[file] = counts.get(file, 0) + 1
            finds.append(f"{file} {place}: {_excerpt(text, match)}")
            if len(finds) >= MOST_FINDS:
                break
        if len(finds) >= MOST_FINDS:
            break
    notes = []
    if len(finds) >= MOST_FINDS:
        notes.append(f"[stopped after {MOST_FINDS} finds: use a longer query, a narrower path or glob]")
    if len(files) > MOST_FILES:
        notes.append(f"[only the first {MOST_FILES} of {len(files)} files were searched: use a narrower path or glob]")
    if failed:
        notes.append(f"[not searched: {', '.join(failed[:20])}{', ...' if len(failed) > 20 else ''}]")
    if not finds:
        return "\n".join([f"{query!r} was not found in {min(len(files), MOST_FILES)} file(s).", *notes])
    head = f"{len(finds)} find(s) in {len(counts)} of {min(len(files), MOST_FILES)} file(s)"
    return "\n".join([head, part(guest, finds, offset, most=AT_ONCE), *notes])


def _files(guest, path, glob):
    top = guest.path(path)
    inside = guest.show(top)
    if os.path.isfile(top):
        return [inside]
    known = guest.files(most=10 * MOST_FILES)
    below = [file for file in known if inside == "." or file.startswith(inside + "/")]
    found = [file for file in below if fnmatch.fnmatch(os.path.basename(file), glob) or fnmatch.fnmatch(file, glob)]
    if not found:
        some = ", ".join(below[:10]) or "nothing"
        raise guest.ToolError(f"No file below {inside} fits {glob}. There is: {some}. A glob is such as *.xlsx.")
    return found


def _texts(guest, file, failed):
    """Place and text of every piece of a file; a file that cannot be read goes to ``failed``."""
    try:
        real = guest.path(file)
        suffix = os.path.splitext(real)[1].lower()
        if not os.path.isfile(real) or os.path.getsize(real) > MOST_BYTES:
            failed.append(f"{file} (too large)" if os.path.isfile(real) else f"{file} (no regular file)")
            return
        if suffix in READERS:
            yield from _office_texts(office_file(guest, file, tuple(READERS)), suffix)
        else:
            yield from _lined(_plain(real))
    except guest.ToolError as error:
        failed.append(f"{file} ({str(error).removeprefix(file).strip().rstrip('.')})")
    except NoText:
        failed.append(f"{file} (no text)")
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise anything over a damaged file
        failed.append(f"{file} ({type(error).__name__})")


def _office_texts(real, suffix):
    if suffix in (".xlsx", ".xlsm"):
        for sheet, cell, text in workbook_cells(real):
            yield f"{sheet}!{cell}", text
    elif suffix == ".pdf":
        import pypdfium2

        document = pypdfium2.PdfDocument(real)
        for number in range(1, len(document) + 1):
            for text in page_lines(document, number):
                yield f"page {number}", text
    else:
        lines = {
            ".docx": document_lines,
            ".pptx": presentation_lines,
            ".eml": mail_lines,
            ".ics": calendar_lines,
        }[suffix](real)
        yield from _lined(lines)


def _lined(lines):
    for number, text in enumerate(lines, start=1):
        yield f"line {number}", text


def _plain(real):
    with open(os.open(real, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        data = file.read()
    if b"\0" in data[:4096]:
        raise NoText
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    return text.split("\n")


def _excerpt(text, match):
    start, end = max(0, match.start() - AROUND), min(len(text), match.end() + AROUND)
    shown = text[start:end].replace("\r", "").strip()
    return (
        ("..." if start else "") + shown[: 4 * AROUND] + ("..." if end < len(text) or len(shown) > 4 * AROUND else "")
    )
