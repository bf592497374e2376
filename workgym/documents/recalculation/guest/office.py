"""The LibreOffice side of ``office``: a script for the system's Python, which has ``uno``; workgym never imports it.

It starts one LibreOffice with a profile of its own and answers requests, a JSON object a line: ``{"content": base64}``
with ``{"cells": [[sheet, row, column, value or null, error code], ...]}`` or ``{"failed": reason}``. Formulas are
recalculated whatever the file caches; macros never run, links are never followed, nobody is asked anything.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

_PROGRAM = "/usr/lib/libreoffice/program/soffice.bin"
_START_SECONDS = 60
_FORMULAS, _LOGICAL = 16, 1024
_RESTART = 81
_SETTING = (
    '<item oor:path="/org.openoffice.Office.{}"><prop oor:name="{}" oor:op="fuse"><value>{}</value></prop></item>'
)
_SETTINGS = (
    ("Calc/Formula/Load", "OOXMLRecalcMode", 0),
    ("Calc/Formula/Load", "ODFRecalcMode", 0),
    ("Calc/Content/Update", "Link", 2),
    ("Common/Security/Scripting", "MacroSecurityLevel", 3),
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Common/Save/Document", "CreateBackup", "false"),
    ("Common/Misc", "FirstRun", "false"),
    ("Recovery/RecoveryInfo", "Enabled", "false"),
)


def profile(folder: str) -> None:
    """A profile whose settings say what is written above; without it LibreOffice starts twice."""
    user = os.path.join(folder, "user")
    os.makedirs(user)
    items = "".join(_SETTING.format(*setting) for setting in _SETTINGS)
    with open(os.path.join(user, "registrymodifications.xcu"), "w", encoding="utf-8") as out:
        out.write(
            '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
            'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
            f"{items}</oor:items>"
        )


def limited(memory_mib: int) -> None:
    """Limits of the office: its memory, the size of its files, and that it does not outlive this process."""
    import ctypes

    ctypes.CDLL(None).prctl(1, 9)
    resource.setrlimit(resource.RLIMIT_DATA, (memory_mib << 20, memory_mib << 20))
    resource.setrlimit(resource.RLIMIT_FSIZE, (128 << 20, 128 << 20))
    # 1 byte, not 0: the kernel starts a core handler behind a pipe in spite of 0.
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    least = 1 if hard == resource.RLIM_INFINITY else min(1, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (least, least))


def started(folder: str, memory_mib: int) -> tuple[Any, Any]:
    """Context and desktop of a fresh office."""
    profile(folder)
    pipe = f"workgym{os.getpid()}"
    command = [_PROGRAM, "--headless", "--invisible", "--norestore", "--nologo", "--nodefault", "--nolockcheck"]
    command += [f"--accept=pipe,name={pipe};urp;", f"-env:UserInstallation=file://{folder}"]
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    office: subprocess.Popen[bytes] | None = None
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        if office is None or office.poll() == _RESTART:
            office = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                preexec_fn=lambda: limited(memory_mib),
            )
        elif office.poll() is not None:
            raise SystemExit(f"LibreOffice ended with {office.returncode}")
        try:
            context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
            return context, context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        except NoConnectException:
            time.sleep(0.05)
    raise SystemExit("LibreOffice does not answer")


def option(name: str, value: Any) -> Any:
    """A property of a call."""
    made = PropertyValue()
    made.Name, made.Value = name, value
    return made


def cells(desktop: Any, path: str) -> list[Any] | None:
    """Every formula's value in the workbook at ``path``."""
    options: dict[str, Any] = {"Hidden": True, "ReadOnly": True, "MacroExecutionMode": 0, "UpdateDocMode": 0}
    options["FilterName"] = "Calc MS Excel 2007 XML"
    document = desktop.loadComponentFromURL(
        f"file://{path}", "_blank", 0, tuple(map(option, options, options.values()))
    )
    if document is None:
        return None
    try:
        document.calculateAll()
        return [cell for sheet in document.Sheets for cell in of_sheet(sheet, document.NumberFormats)]
    finally:
        document.close(True)


def of_sheet(sheet: Any, formats: Any) -> Iterator[list[Any]]:
    """Sheet, row, column, value and error of each formula; whole ranges at once, since each call costs 0.2 ms."""
    for area in sheet.queryContentCells(_FORMULAS).RangeAddresses:
        block = sheet.getCellRangeByPosition(area.StartColumn, area.StartRow, area.EndColumn, area.EndRow)
        for down, row in enumerate(block.getDataArray()):
            for right, value in enumerate(row):
                code = 0
                if not isinstance(value, (float, str)):
                    code, value = block.getCellByPosition(right, down).getError(), None
                elif value in (0.0, 1.0) and is_truth(formats, block.getCellByPosition(right, down)):
                    value = bool(value)
                yield [sheet.Name, area.StartRow + down + 1, area.StartColumn + right + 1, value, code]


def is_truth(formats: Any, cell: Any) -> bool:
    """Whether a number is a truth value, which LibreOffice tells by the format alone."""
    return bool(formats.getByKey(cell.NumberFormat).Type & _LOGICAL)


def known(context: Any) -> list[str]:
    """The names of all functions."""
    described = context.ServiceManager.createInstanceWithContext("com.sun.star.sheet.FunctionDescriptions", context)
    names: list[str] = []
    for index in range(described.Count):
        names += [one.Value.upper() for one in described.getByIndex(index) if one.Name == "Name"]
    return names


def watch() -> None:
    """End at once when the other side has closed its pipe: in the midst of a workbook nobody would notice."""
    poll = select.poll()
    poll.register(sys.stdin.fileno(), 0)
    poll.poll()
    os._exit(1)


def main() -> None:
    """Answer requests until there are no more."""
    threading.Thread(target=watch, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        context, desktop = started(os.path.join(folder, "profile"), int(sys.argv[1]))
        path = os.path.join(folder, "book.xlsx")
        print(json.dumps({"functions": known(context)}), flush=True)
        for line in sys.stdin:
            with open(path, "wb") as out:
                out.write(base64.b64decode(json.loads(line)["content"]))
            found = cells(desktop, path)
            print(json.dumps({"failed": "it does not load"} if found is None else {"cells": found}), flush=True)


if __name__ == "__main__":
    main()
