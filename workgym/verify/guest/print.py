"""The LibreOffice side of ``pages``: a script for the system's Python in a sandbox; workgym never imports it.

One request on standard input, ``{"ending": "docx", "content": base64}``, one answer on standard output, ``{"pdf":
base64}`` or ``{"failed": reason}``. LibreOffice may end with 0 and have written nothing: the file is what counts.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import subprocess
import sys
import tempfile
from typing import Any

_PROGRAM = "/usr/lib/libreoffice/program/soffice.bin"
_SETTING = (
    '<item oor:path="/org.openoffice.Office.{}"><prop oor:name="{}" oor:op="fuse"><value>{}</value></prop></item>'
)
_SETTINGS = (
    ("Calc/Content/Update", "Link", 2),
    ("Common/Security/Scripting", "MacroSecurityLevel", 3),
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Common/Misc", "FirstRun", "false"),
)
_RESTART = 81


def profile(folder: str) -> None:
    """A profile without macros, links and first-run questions."""
    os.makedirs(os.path.join(folder, "user"))
    items = "".join(_SETTING.format(*setting) for setting in _SETTINGS)
    with open(os.path.join(folder, "user", "registrymodifications.xcu"), "w", encoding="utf-8") as out:
        out.write(
            '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
            'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
            f"{items}</oor:items>"
        )


def printed(request: dict[str, Any], memory_mib: int) -> dict[str, str]:
    """The file of a request as PDF."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, f"file.{request['ending']}")
        with open(source, "wb") as out:
            out.write(base64.b64decode(request["content"]))
        home = os.path.join(folder, "profile")
        profile(home)
        command = [_PROGRAM, "--headless", "--norestore", "--nologo", "--nolockcheck", "--convert-to", "pdf"]
        command += [f"-env:UserInstallation=file://{home}", "--outdir", folder, source]
        limit = (memory_mib << 20, memory_mib << 20)
        for _ in range(3):
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, limit),
            )
            if done.returncode != _RESTART:
                break
        target = os.path.join(folder, "file.pdf")
        if not os.path.isfile(target):
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            return {"failed": f"it ended with {done.returncode} and wrote nothing; {said[-1] if said else 'no word'}"}
        with open(target, "rb") as file:
            return {"pdf": base64.b64encode(file.read()).decode()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(printed(json.loads(sys.stdin.readline()), int(sys.argv[1]))) + "\n")
    sys.stdout.flush()
