"""Run the probes over a backend and print the table: ``python -m workgym.testing.abuse [BACKEND]``."""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings

from workgym.errors import WorkgymError
from workgym.sandbox import create
from workgym.testing.abuse import THEMES, run_all, soak, table
from workgym.testing.sandbox_kit import Factory


def main() -> int:
    """Exit code 0 where the backend keeps what it promises, 1 where it does not, 2 where it cannot work here."""
    parser = argparse.ArgumentParser(prog="python -m workgym.testing.abuse", description=__doc__)
    parser.add_argument("backend", nargs="?", default="bubblewrap", help="a backend's name, or MODULE:FACTORY of yours")
    parser.add_argument("--theme", action="append", choices=list(THEMES), help="only these; may be repeated")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--episodes", type=int, metavar="N", help="run so many abusive episodes instead")
    parser.add_argument(
        "--spare", type=int, default=0, metavar="N", help="descriptors that the backend keeps on purpose"
    )
    parser.add_argument(
        "--own-kernel", action="store_true", help="its guests run on a kernel of their own, as in gVisor"
    )
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    try:
        factory = _factory(asked.backend)
        if asked.episodes:
            found = soak(
                factory, asked.episodes, spare=asked.spare, told=lambda line: print(line, file=sys.stderr, flush=True)
            )
            print("\n".join(found) or f"{asked.episodes} abusive episodes left nothing over")
            return 1 if found else 0
        report = run_all(factory, tuple(asked.theme or THEMES), spare=asked.spare, own_kernel=asked.own_kernel)
    except WorkgymError as error:
        print(error, file=sys.stderr)
        return 2
    print(report.model_dump_json(indent=1) if asked.json else table(report))
    return 0 if report.sound else 1


def _factory(name: str) -> Factory:
    if ":" not in name:
        return lambda limits: create(name, limits)
    module, _, attribute = name.partition(":")
    factory: Factory = getattr(importlib.import_module(module), attribute)
    return factory


if __name__ == "__main__":
    raise SystemExit(main())
