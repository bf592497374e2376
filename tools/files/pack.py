# Guest code of the pack "files": runs inside the sandbox, standard library only, never imports workgym.
# Every function gets the guest (paths of the workspace, ToolError) and the arguments of the call.

import fnmatch
import os
import re
import stat
from pathlib import Path, PurePosixPath

MOST_ENTRIES = 500
MOST_BYTES = 20 << 20
LONGEST_LINE = 2000
OFFICE = {
    ".xlsx": "read_workbook",
    ".xlsm": "read_workbook",
    ".docx": "read_document",
    ".pptx": "read_presentation",
    ".pdf": "read_pdf",
}


def list_files(guest, path="."):
    top = guest.path(path)
    if not os.path.isdir(top):
        return f"{guest.show(top)} is a file. Read it with {OFFICE.get(Path(top).suffix.lower(), 'read_file')}."
    lines = []
    for folder, folders, names in os.walk(top):
        folders.sort()
        if folder != top:
            lines.append(guest.show(folder) + "/")
        lines += [guest.show(os.path.join(folder, name)) for name in names]
        if len(lines) > 20 * MOST_ENTRIES:
            break
    lines.sort()
    if len(lines) > MOST_ENTRIES:
        rest = f"[the first {MOST_ENTRIES} entries; list a folder, or use glob, for the others]"
        lines = [*lines[:MOST_ENTRIES], rest]
    return "\n".join(lines) or "The folder is empty."


def read_file(guest, path, offset=1, limit=500, numbered=False):
    text, note = _text(guest, path)
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    offset, limit = int(offset), int(limit)
    if not lines:
        return "The file is empty."
    if offset > len(lines):
        raise guest.ToolError(f"{path} has only {len(lines)} lines; offset {offset} is beyond its end.")
    part, room, shown = [], guest.limits["output_chars"] - 300, 0
    for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], start=offset):
        if len(line) > LONGEST_LINE:
            line = f"{line[:LONGEST_LINE]}[... {len(line) - LONGEST_LINE} more characters in this line]"
        line = f"{number}\t{line}" if numbered else line
        room -= len(line) + 1
        if room < 0 and part:
            break
        part.append(line)
        shown = number
    if shown < len(lines):
        note = f"[lines {offset} to {shown} of {len(lines)}; go on with offset={shown + 1}]{note}"
    elif offset > 1:
        note = f"[lines {offset} to {shown} of {len(lines)}: the end]{note}"
    return "\n".join([*part, note] if note else part)


def write_file(guest, path, content):
    real = guest.path(path, exists=False)
    if os.path.isdir(real):
        raise guest.ToolError(f"{guest.show(real)} is a folder; give the path of a file.")
    done = "Replaced" if os.path.exists(real) else "Wrote"
    _write(guest, real, content)
    return f"{done} {guest.show(real)} ({_count(content)})."


def edit_file(guest, path, old, new, replace_all=False):
    text, _ = _text(guest, path)
    found = text.count(old)
    shown = guest.show(guest.path(path))
    if old == new:
        raise guest.ToolError("old and new are the same; nothing to do.")
    if found == 0:
        raise guest.ToolError(f"{shown} does not hold this text exactly.{_nearest(text, old)} Nothing was changed.")
    if found > 1 and not replace_all:
        raise guest.ToolError(
            f"{shown} holds this text {found} times. Give more of the lines around it, or set replace_all to true. "
            "Nothing was changed."
        )
    _write(guest, guest.path(path), text.replace(old, new))
    return f"Edited {shown}: {found if replace_all else 1} replacement(s)."


def glob(guest, pattern, path="."):
    top = guest.path(path)
    inside = PurePosixPath(pattern[len("/work/") :] if pattern.startswith("/work/") else pattern)
    if inside.is_absolute() or ".." in inside.parts:
        raise guest.ToolError(f"{pattern} leads outside the workspace. Give a pattern inside it, such as **/*.xlsx.")
    try:
        found = sorted({guest.show(str(file)) for file in Path(top).glob(str(inside)) if file.is_file()})
    except (ValueError, NotImplementedError) as error:
        raise guest.ToolError(f"{pattern} is no pattern: {error}") from None
    if not found:
        return f"No file fits {pattern}."
    if len(found) > MOST_ENTRIES:
        found = [*found[:MOST_ENTRIES], f"[the first {MOST_ENTRIES} of {len(found)}; use a narrower pattern]"]
    return "\n".join(found)


def grep(guest, pattern, path=".", glob="*", ignore_case=False):
    try:
        wanted = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        raise guest.ToolError(
            f"{pattern} is no regular expression: {error}. Escape signs such as ( with a backslash."
        ) from None
    top = guest.path(path)
    files = [guest.show(top)] if os.path.isfile(top) else _below(guest, top)
    lines, skipped = [], []
    for file in files:
        if not fnmatch.fnmatch(os.path.basename(file), glob):
            continue
        try:
            text, _ = _text(guest, file)
        except guest.ToolError:
            skipped.append(file)
            continue
        for number, line in enumerate(text.split("\n"), start=1):
            if wanted.search(line):
                lines.append(f"{file}:{number}: {line[:300]}")
    if len(lines) > MOST_ENTRIES:
        lines = [
            *lines[:MOST_ENTRIES],
            f"[the first {MOST_ENTRIES} of {len(lines)} lines; use a narrower pattern or path]",
        ]
    if not lines:
        lines = [f"No line fits {pattern}."]
    if skipped:
        lines.append(f"[not searched, because they are no text: {', '.join(skipped[:20])}]")
    return "\n".join(lines)


def _below(guest, top):
    inside = guest.show(top)
    return [file for file in guest.files() if inside == "." or file.startswith(inside + "/")]


def _text(guest, path):
    """The text of a file, and a note where its encoding was guessed."""
    real = guest.path(path)
    shown = guest.show(real)
    tool = OFFICE.get(Path(real).suffix.lower())
    if os.path.isdir(real):
        raise guest.ToolError(f"{shown} is a folder. List it with list_files.")
    if tool is not None:
        raise guest.ToolError(f"{shown} is no text file. Use {tool}, or the python tool.")
    found = os.stat(real)
    if not stat.S_ISREG(found.st_mode):
        raise guest.ToolError(f"{shown} is no regular file.")
    if found.st_size > MOST_BYTES:
        raise guest.ToolError(
            f"{shown} is too large for this tool. Use the python tool or bash to look at parts of it."
        )
    # Non-blocking: it may have been replaced by a pipe in the meantime.
    with open(os.open(real, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        data = file.read()
    if b"\0" in data[:4096]:
        raise guest.ToolError(f"{shown} is no text file. Use the python tool to look into it.")
    try:
        return data.decode("utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8").replace("\r\n", "\n"), ""
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace").replace("\r\n", "\n"), "[not UTF-8: read as Windows-1252]"


def _write(guest, real, text):
    try:
        os.makedirs(os.path.dirname(real), exist_ok=True)
        # Non-blocking: a pipe of that name would stop the server.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK
        with open(os.open(real, flags, 0o666), "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise guest.ToolError(f"{guest.show(real)} cannot be written: {error.strerror}.") from None


def _count(text):
    lines = text.count("\n") + (1 if text and not text.endswith("\n") else 0)
    return f"{lines} line{'' if lines == 1 else 's'}, {len(text)} characters"


def _nearest(text, old):
    import difflib

    first = next((line for line in old.split("\n") if line.strip()), "")
    near = difflib.get_close_matches(first, text.split("\n")[:5000], n=1, cutoff=0.6)
    return f" The nearest line is: {near[0][:200]!r}." if near else ""
