"""SWE-ReX: its deployment in docker, or the local one, which has no wall. ``python rex.py``, in its own environment.

Commands go by ``execute``, the faster of its two ways: ``run_in_session`` waits 100 ms and more for a shell's prompt.
"""

from __future__ import annotations

import logging
import shlex
import shutil
import tempfile
from typing import Any

from swerex.deployment.docker import DockerDeployment
from swerex.deployment.local import LocalDeployment
from swerex.runtime.abstract import Command, UploadRequest
from turns import Act, serve


def acts(told: dict[str, Any]) -> dict[str, Act]:
    logging.disable(logging.CRITICAL)
    scripts, box = told["scripts"], {}

    async def start() -> None:
        if told["image"]:
            box["held"], box["work"] = DockerDeployment(image=told["image"], pull="never"), "/work"
        else:
            box["held"], box["work"] = LocalDeployment(), tempfile.mkdtemp()
        await box["held"].start()
        await box["held"].runtime.upload(UploadRequest(source_path=told["files"], target_path=f"{box['work']}/in"))
        await run("ls", "in")

    async def run(*command: str) -> None:
        done = await box["held"].runtime.execute(Command(command=list(command), cwd=box["work"], timeout=100))
        if done.exit_code:
            raise RuntimeError(done.stderr)

    async def stop() -> None:
        await run("sh", "-c", "tar -c . | base64 -w0")
        await box["held"].stop()
        if not told["image"]:
            shutil.rmtree(box["work"])

    made: dict[str, Act] = {"start": start, "stop": stop, "echo": lambda: run("echo", "hi")}
    for name, code in scripts.items():
        made[name] = lambda code=code: run(*shlex.split(told["python"]), "-c", code)  # type: ignore[misc]
    return made


if __name__ == "__main__":
    serve(acts)
