"""inspect-ai: its docker sandbox, which is compose's, or the local one, which has no wall. In its own environment."""

from __future__ import annotations

import logging
import shlex
from pathlib import Path
from typing import Any

from inspect_ai.util._concurrency import init_concurrency
from inspect_ai.util._sandbox.docker.cleanup import project_cleanup_startup
from inspect_ai.util._sandbox.docker.docker import DockerSandboxEnvironment
from inspect_ai.util._sandbox.local import LocalSandboxEnvironment
from inspect_ai.util._subprocess import init_max_subprocesses
from turns import Act, serve


def acts(told: dict[str, Any]) -> dict[str, Act]:
    logging.disable(logging.CRITICAL)
    init_concurrency()
    init_max_subprocesses(None)
    project_cleanup_startup()
    kind, box = DockerSandboxEnvironment if told["config"] else LocalSandboxEnvironment, {}

    async def start() -> None:
        box["held"] = await kind.sample_init("bench", told["config"] or None, {})
        box["default"] = box["held"]["default"]
        for file in sorted(Path(told["files"]).iterdir()):
            await box["default"].write_file(f"in/{file.name}", file.read_bytes())
        await run("ls", "in")

    async def run(*command: str) -> None:
        done = await box["default"].exec(list(command), timeout=100)
        if not done.success:
            raise RuntimeError(done.stderr)

    async def stop() -> None:
        await run("sh", "-c", "tar -c . | base64 -w0")
        await kind.sample_cleanup("bench", told["config"] or None, box["held"], False)

    made: dict[str, Act] = {"start": start, "stop": stop, "echo": lambda: run("echo", "hi")}
    for name, code in told["scripts"].items():
        made[name] = lambda code=code: run(*shlex.split(told["python"]), "-c", code)  # type: ignore[misc]
    return made


if __name__ == "__main__":
    serve(acts)
