"""``doctor`` and ``clean``."""

from __future__ import annotations

import os
import platform
from argparse import Namespace

from workgym import sandbox
from workgym.cli.output import Output


def doctor(arguments: Namespace, output: Output) -> int:
    """What works here; 1 where the default sandbox does not."""
    from workgym.package.assemble import toolchain
    from workgym.sandbox import guestenv
    from workgym.sandbox.capacity import capacity

    if arguments.prepare and not guestenv.ready():
        guestenv.prepare(output.progress)
        output.done()
    backends = sandbox.available()
    rows = [(name, reason or "works") for name, reason in backends.items()]
    cold = "" if backends["bubblewrap"] else sandbox.cold()
    if cold:
        rows.insert(
            1, ("warm starts", f"no: {cold}; each sandbox starts an interpreter of its own, behind the same walls")
        )
    uncounted = "" if backends["bubblewrap"] else sandbox.uncounted()
    if uncounted:
        rows.insert(1, ("memory of a sandbox", f"limited for each process, not for all together: {uncounted}"))
    carries = capacity()
    rows.append(("sandboxes at once", carries.said()))
    rows.append(
        ("guest environment", str(guestenv.path()) if guestenv.ready() else "missing; workgym doctor --prepare")
    )
    output.say(
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    )
    output.table(("part", "state"), rows)
    output.result(
        {
            "backends": backends,
            "guest": guestenv.ready(),
            "cold": cold,
            "uncounted": uncounted,
            "capacity": {**carries.model_dump(), "at_once": carries.at_once},
            "toolchain": toolchain(),
        }
    )
    return 0 if not backends["bubblewrap"] and guestenv.ready() else 1


def clean(arguments: Namespace, output: Output) -> int:
    """Remove what dead processes left."""
    removed = sandbox.clean()
    for line in removed:
        output.say(f"removed {line}")
    output.say(f"{len(removed)} things removed")
    output.result({"removed": removed})
    return 0
