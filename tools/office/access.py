# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Files of the workspace, opened and saved; answers that come in parts. What all modules of the pack share."""

import contextlib
import os
import re
import zipfile

MOST_ENTRIES = 20_000
MOST_UNPACKED = 200 << 20
READERS = {
    ".xlsx": "read_workbook",
    ".xlsm": "read_workbook",
    ".docx": "read_document",
    ".pptx": "read_presentation",
    ".pdf": "read_pdf",
    ".eml": "read_mail",
    ".ics": "read_calendar",
}
WRITERS = {
    ".xlsx": "write_cells",
    ".docx": "add_to_document",
    ".pptx": "add_slides",
    ".csv": "edit_file",
    ".md": "edit_file",
    ".txt": "edit_file",
    ".json": "edit_file",
}
ZIPPED = (".xlsx", ".xlsm", ".docx", ".pptx")


def office_file(guest, path, suffixes, instead=READERS):
    """The real path of an office file; refuses other kinds, and archives that unpack to a flood.

    ``instead`` says which tool is for a file of another kind.
    """
    real = guest.path(path)
    shown = guest.show(real)
    suffix = os.path.splitext(real)[1].lower()
    if not os.path.isfile(real):
        raise guest.ToolError(f"{shown} is no file.")
    if suffix not in suffixes:
        other = instead.get(suffix, "read_file" if instead is READERS else None)
        hint = f" Use {other} for it." if other else ""
        raise guest.ToolError(f"{shown} is not {' or '.join(suffixes)}.{hint}")
    if suffix in ZIPPED:
        try:
            with zipfile.ZipFile(real) as archive:
                parts = archive.infolist()
        except (zipfile.BadZipFile, OSError):
            raise guest.ToolError(f"{shown} is damaged, locked by a password, or not really {suffix}.") from None
        if len(parts) > MOST_ENTRIES or sum(each.file_size for each in parts) > MOST_UNPACKED:
            raise guest.ToolError(f"{shown} unpacks to more than this tool reads.")
    return real


def opened(guest, path, load):
    """What ``load`` gives; libraries raise anything over a damaged file."""
    try:
        return load()
    except (MemoryError, guest.ToolError):
        raise
    except Exception as error:  # noqa: BLE001 - see above
        raise guest.ToolError(f"{path} cannot be read: {type(error).__name__}: {error}") from None


def new_file(guest, path, suffix, overwrite, instead=""):
    """The real path of a file to be made; refuses another ending, and what exists unless ``overwrite``."""
    real = guest.path(path, exists=False)
    shown = guest.show(real)
    if os.path.splitext(real)[1].lower() != suffix:
        proper = f"{os.path.splitext(shown)[0]}{suffix}"
        raise guest.ToolError(f"The file must end with {suffix}: call it with the path {proper}.")
    if os.path.isdir(real):
        raise guest.ToolError(f"{shown} is a folder; give the path of a file.")
    if os.path.exists(real) and not overwrite:
        raise guest.ToolError(f"{shown} exists already. Set overwrite to true to replace it{instead}.")
    return real


def save(guest, real, content):
    """Write a file whole or not at all; folders that are missing are made."""
    aside = f"{real}.part"
    try:
        os.makedirs(os.path.dirname(real), exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(aside)
        # Exclusive: a link of that name would lead elsewhere.
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(content)
        os.replace(aside, real)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise guest.ToolError(f"{guest.show(real)} cannot be written: {error.strerror}. Nothing was changed.") from None


def part(guest, lines, offset, most=None):
    """The lines from ``offset`` on, as far as an answer holds them, and how to go on."""
    offset, room, shown = int(offset), guest.limits["output_chars"] - 300, []
    if offset > max(1, len(lines)):
        raise guest.ToolError(f"There are only {len(lines)} lines; offset {offset} is beyond the end.")
    for text in lines[offset - 1 :]:
        room -= len(text) + 1
        if shown and (room < 0 or len(shown) == most):
            following = offset + len(shown)
            shown.append(f"[lines {offset} to {following - 1} of {len(lines)}; go on with offset={following}]")
            break
        shown.append(text)
    return "\n".join(shown) or "It holds no text."


def line(text):
    """A text on one line, without tabs."""
    return re.sub(r"\s*[\r\n\v]+\s*", " / ", text.replace("\t", " ")).strip()


def short(text, most=100):
    """A text for an answer, cut where it is long."""
    return text if len(text) <= most else f"{text[:most]}[... {len(text) - most} more characters]"


def nearest(wanted, known):
    """The known texts most like the wanted one, as a hint for an error; nothing where none is like it."""
    import difflib  # 3 ms, for errors only

    known = [text[:200] for text in known if text.strip()][:5000]
    near = difflib.get_close_matches(wanted[:200], known, n=1, cutoff=0.4)
    near = near or [text for text in known if wanted.strip().lower()[:40] in text.lower()][:1]
    return f" The nearest is {near[0]!r}." if near else ""
