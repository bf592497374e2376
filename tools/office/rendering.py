# Guest code of the pack "office": runs inside the sandbox, office libraries only, never imports workgym.
"""Files as PDF and pages as pictures: LibreOffice of the system makes the PDF, pdfium the picture."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile

from .access import ZIPPED, office_file, opened, save

CONVERTED = (*ZIPPED, ".doc", ".xls", ".ppt", ".odt", ".ods", ".odp", ".rtf", ".txt", ".csv", ".html")
SPARE_SECONDS = 5
MOST_HEIGHT = 4_000
SETTINGS = (
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Calc/Content/Update", "Link", "2"),
    ("Common/Save/Document", "CreateBackup", "false"),
    ("Common/Misc", "FirstRun", "false"),
)


def convert_to_pdf(guest, path, to=None, overwrite=False):
    real = guest.path(path)
    if real.lower().endswith(".pdf"):
        raise guest.ToolError(f"{path} is a PDF file already. Use render_page to make a picture of a page.")
    real = office_file(guest, path, CONVERTED, {})
    shown = guest.show(real)
    target = guest.path(to or f"{os.path.splitext(shown)[0]}.pdf", exists=False)
    if not target.lower().endswith(".pdf"):
        raise guest.ToolError(f"to must end with .pdf, such as {os.path.splitext(guest.show(target))[0]}.pdf.")
    if os.path.exists(target) and not overwrite:
        raise guest.ToolError(
            f"{guest.show(target)} exists already. Set overwrite to true, or give another path in to."
        )
    content, count = _pdf(guest, real)
    save(guest, target, content)
    return f"Wrote {guest.show(target)}: {count} page(s), {len(content)} bytes."


def render_page(guest, path, to, page=1, width=1200):
    import pypdfium2

    target = guest.path(to, exists=False)
    if not target.lower().endswith(".png"):
        raise guest.ToolError(f"to must end with .png, such as {os.path.splitext(guest.show(target))[0]}.png.")
    real = office_file(guest, path, (".pdf", *CONVERTED), {})
    source = real if real.lower().endswith(".pdf") else _pdf(guest, real)[0]
    document = opened(guest, path, lambda: pypdfium2.PdfDocument(source))
    if page > len(document):
        raise guest.ToolError(f"There is no page {page}: {path} has {len(document)} page(s).")
    sheet = document[page - 1]
    scale = min(width / sheet.get_width(), MOST_HEIGHT / sheet.get_height())
    picture = opened(guest, path, lambda: sheet.render(scale=scale).to_pil())
    with tempfile.TemporaryFile() as file:
        picture.convert("RGB").save(file, "PNG")
        file.seek(0)
        save(guest, target, file.read())
    wide, high = picture.size
    return f"Wrote {guest.show(target)}: page {page} of {len(document)}, {wide} by {high} pixels."


def _pdf(guest, real):
    """A file as PDF, and the number of its pages; LibreOffice is judged by what it wrote, not by its exit code."""
    import pypdfium2

    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise guest.ToolError(
            "LibreOffice is not installed in this sandbox, so office files cannot be converted. render_page works on "
            "PDF files without it; with the python tool, reportlab writes PDF files, and read_document, read_workbook "
            "and read_presentation show what office files hold."
        )
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        _write_profile(profile)
        inside = os.path.join(folder, f"file{os.path.splitext(real)[1].lower()}")
        shutil.copyfile(real, inside)
        command = [program, f"-env:UserInstallation=file://{profile}", "--headless", "--norestore", "--nolockcheck"]
        command += ["--convert-to", "pdf", "--outdir", folder, inside]
        seconds = max(5, guest.limits["call_seconds"] - SPARE_SECONDS)
        if not _run(command, folder, seconds):
            raise guest.ToolError(
                f"{guest.show(real)} was not converted within {seconds:g} s: it is too large for this tool."
            )
        made = os.path.join(folder, "file.pdf")
        if not os.path.isfile(made):
            raise guest.ToolError(f"{guest.show(real)} cannot be converted: LibreOffice cannot read it.")
        with open(made, "rb") as file:
            content = _without_hours(file.read())
    document = opened(guest, guest.show(real), lambda: pypdfium2.PdfDocument(content))
    return content, len(document)


def _run(command, folder, seconds):
    """Whether a program ended in time; all that it started ends with it."""
    null = subprocess.DEVNULL
    variables = {**os.environ, "HOME": folder, "SAL_USE_VCLPLUGIN": "svp"}
    process = subprocess.Popen(
        command, stdin=null, stdout=null, stderr=null, cwd=folder, env=variables, start_new_session=True
    )
    try:
        process.wait(timeout=seconds)
        return True
    except subprocess.TimeoutExpired:
        return False
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _write_profile(folder):
    """A profile in which no macro runs and no link is followed."""
    os.makedirs(os.path.join(folder, "user"))
    items = "".join(
        f'<item oor:path="/org.openoffice.Office.{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value>'
        "</prop></item>"
        for path, name, value in SETTINGS
    )
    with open(os.path.join(folder, "user", "registrymodifications.xcu"), "w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
            f'xmlns:xs="http://www.w3.org/2001/XMLSchema">{items}</oor:items>'
        )


def _without_hours(content):
    """A PDF without the hour at which it was made and what comes of it: the same file gives the same bytes."""
    content = re.sub(rb"(/CreationDate\(D:)\d{14}[^)]*", lambda found: _same(found, b"20260101000000Z"), content)
    content = re.sub(rb"(/ID \[ *<)[0-9A-F]+(?:>\s*<)[0-9A-F]+", _zeros, content)
    return re.sub(rb"(/DocChecksum /)[0-9A-F]+", _zeros, content)


def _same(found, date):
    return (found[1] + date).ljust(len(found[0]), b"'")[: len(found[0])]


def _zeros(found):
    return found[1] + re.sub(rb"[0-9A-F]", b"0", found[0][len(found[1]) :])
