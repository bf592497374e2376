"""One real daemon: the conformance suite, the probes, and what is left when the host is killed.

Where no daemon answers, root with dockerd starts one of its own for this module; anybody else is told what is skipped.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workgym.sandbox import Limits, Sandbox, create
from workgym.sandbox import docker as backend
from workgym.testing import abuse, sandbox_kit, sandbox_suite
from workgym.testing.sandbox_kit import opened, say

from ..e2e.forgery_acts import ACTS
from ..e2e.forgery_kit import Attack, attacked
from ..e2e.forgery_places import PLACES

HERE = Path(__file__).parents[2]
CONNECTIONS = 25
"""Connections to the daemon that the docker SDK keeps open, at most."""


def factory(limits: Limits | None) -> Sandbox:
    return create("docker", limits)


@pytest.fixture(scope="module", autouse=True)
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A daemon with the guest image; the image build needs a registry, or root with debootstrap and a Debian mirror."""
    started: subprocess.Popen[bytes] | None = None
    named = os.environ.get("DOCKER_HOST")
    if "no docker daemon" in backend.reason():
        if os.getuid() != 0 or shutil.which("dockerd") is None:
            pytest.skip("SKIPPED, docker is not tested here: no daemon answers, and this is not root with dockerd")
        folder = tmp_path_factory.mktemp("dockerd")
        os.environ["DOCKER_HOST"] = f"unix://{folder}/sock"
        started = _start(folder)
    try:
        if reason := backend.reason():
            image = subprocess.run(
                [sys.executable, "-m", "workgym.sandbox.docker"], capture_output=True, text=True, cwd=HERE
            )
            if image.returncode != 0:
                pytest.skip(f"SKIPPED, docker is not tested here: {reason}: {image.stderr.strip()}")
        yield
    finally:
        if started is not None:
            started.terminate()
            started.wait(timeout=60)
            # It leaves a network namespace mounted, which nobody could remove the folder from under.
            subprocess.run(["umount", f"{folder}/exec/netns/default"], capture_output=True, check=False)
        if named is None:
            os.environ.pop("DOCKER_HOST", None)


def _runsc(folder: Path, program: str) -> Path:
    """gVisor as a runtime; older ones cannot make a network here, and no guest of ours has one."""
    script = folder / "runsc"
    script.write_text(f'#!/bin/sh\nexec {program} --network=none "$@"\n')
    script.chmod(0o755)
    return script


def _start(folder: Path) -> subprocess.Popen[bytes]:
    parts = [
        f"--data-root={folder}/data",
        f"--exec-root={folder}/exec",
        f"--pidfile={folder}/pid",
        f"-H=unix://{folder}/sock",
    ]
    if gvisor_path := shutil.which("runsc"):
        parts += [f"--add-runtime=runsc={_runsc(folder, gvisor_path)}"]
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(["dockerd", "--bridge=none", "--iptables=false", *parts], stdout=log, stderr=log)
    deadline = time.monotonic() + 60
    while "no docker daemon" in backend.reason():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            process.wait()
            last = (folder / "log").read_text().strip().splitlines()[-1:]
            pytest.skip(f"SKIPPED, docker is not tested here: dockerd does not start: {last}")
        time.sleep(0.2)
    return process


@pytest.mark.parametrize("check", sandbox_suite.CHECKS, ids=lambda check: check.__name__)
def test_backend_keeps_the_contract(check: sandbox_kit.Check) -> None:
    check(factory)


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same daemon by a port: what can be had of one on another machine, where no folder of ours is."""
    path = (os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock").removeprefix("unix://")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_relay, args=(listener, path), daemon=True).start()
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{listener.getsockname()[1]}")
        yield
        listener.shutdown(socket.SHUT_RDWR)


def _relay(listener: socket.socket, path: str) -> None:
    def pump(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := source.recv(1 << 16):
                sink.sendall(part)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def both(near: socket.socket) -> None:
        with near, socket.socket(socket.AF_UNIX) as there:
            there.connect(path)
            back = threading.Thread(target=pump, args=(there, near), daemon=True)
            back.start()
            pump(near, there)
            back.join()

    with contextlib.suppress(OSError):
        while True:
            near = listener.accept()[0]
            threading.Thread(target=both, args=(near,), daemon=True).start()


@pytest.mark.parametrize("check", sandbox_suite.CHECKS, ids=lambda check: check.__name__)
def test_backend_keeps_the_contract_on_another_machine(far: None, check: sandbox_kit.Check) -> None:
    check(factory)
    assert _containers() == 0


def gvisor(limits: Limits | None) -> Sandbox:
    return backend.Docker(limits, runtime="runsc")


@pytest.fixture
def runsc() -> None:
    if "runsc" not in backend._client().info()["Runtimes"]:
        pytest.skip("SKIPPED, gVisor is not tested here: the daemon knows no runtime runsc")


def test_every_probe_is_held() -> None:
    report = abuse.run_all(factory, spare=CONNECTIONS)
    print(abuse.table(report))
    assert report.sound, "\n".join(report.wrong)
    assert {row.rests for row in report.rows if row.outcome == "open"} <= {"workspace_quota", "nothing"}
    assert _containers() == 0


def test_every_probe_is_held_under_gvisor(runsc: None) -> None:
    report = abuse.run_all(gvisor, spare=CONNECTIONS, own_kernel=True)
    print(abuse.table(report))
    assert report.sound, "\n".join(report.wrong)
    assert {row.rests for row in report.rows if row.outcome == "open"} <= {"workspace_quota", "nothing"}
    assert _containers() == 0


@pytest.mark.soak
def test_a_hundred_abusive_episodes_leave_nothing_over() -> None:
    assert abuse.soak(factory, 100, spare=CONNECTIONS) == []
    assert _containers() == 0


@pytest.mark.soak
def test_thirty_abusive_episodes_under_gvisor_leave_nothing_over(runsc: None) -> None:
    assert abuse.soak(gvisor, 30, spare=CONNECTIONS) == []
    assert _containers() == 0


def test_memory_of_all_processes_together() -> None:
    code = (
        "import os, time\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        "        held = bytearray(b'x') * (200 << 20)\n"
        "        time.sleep(2)\n"
        "        os._exit(0)\n"
        "print(any([os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(4)]))"
    )
    with opened(factory, limits=Limits(memory_mib=400)) as sandbox:
        assert sandbox.capabilities.total_memory
        result = say(sandbox, "python", code=code)
        assert result.text in ("True\n", "[killed by signal 9]")
        assert say(sandbox, "bash", command="echo alive").text == "alive\n"


@pytest.fixture(scope="module")
def office() -> None:
    """The image with LibreOffice; its build needs the Debian sources that the guest image names."""
    image = subprocess.run(
        [sys.executable, "-m", "workgym.sandbox.docker", "--office"], capture_output=True, text=True, cwd=HERE
    )
    if image.returncode != 0:
        pytest.skip(f"SKIPPED, LibreOffice in docker is not tested here: {image.stderr.strip()}")


def test_libreoffice_is_in_the_larger_image(office: None) -> None:
    write = (
        "import docx, openpyxl\n"
        "made = docx.Document()\n"
        "made.add_heading('Quarterly report')\n"
        "made.add_paragraph('Folding boxes: 1,200 pcs')\n"
        "made.save('report.docx')\n"
        "book = openpyxl.Workbook()\n"
        "book.active.append(['Total', '=6*7'])\n"
        "book.save('total.xlsx')\n"
    )
    limits = Limits(call_seconds=60, memory_mib=2048)
    with opened(lambda limits: create("docker-office", limits), limits=limits) as sandbox:
        assert not say(sandbox, "python", code=write).is_error
        told = say(sandbox, "convert_to_pdf", path="report.docx")
        assert told.text.startswith("Wrote report.pdf: 1 page(s)"), told.text
        assert "Folding boxes: 1,200 pcs" in say(sandbox, "read_pdf", path="report.pdf").text
        assert not say(sandbox, "convert_to_pdf", path="total.xlsx").is_error
        assert "42" in say(sandbox, "read_pdf", path="total.pdf").text
        files = sandbox.collect()
        assert files["report.pdf"].startswith(b"%PDF-") and files["total.pdf"].startswith(b"%PDF-")
    with opened(factory) as sandbox:
        sandbox.put("a.txt", b"x")
        assert "LibreOffice is not installed" in say(sandbox, "convert_to_pdf", path="a.txt").text
    assert _containers() == 0


@pytest.mark.parametrize("attack", [one for one in (*ACTS, *PLACES) if one.docker], ids=lambda attack: attack.name)
def test_an_attack_earns_nothing_in_a_container_either(attack: Attack, tmp_path: Path) -> None:
    attacked(attack, tmp_path, "docker")


def test_killed_host_leaves_no_container() -> None:
    code = (
        "from workgym.sandbox import create\n"
        "from workgym.testing.sandbox_kit import opened, say\n"
        "sandbox = opened(lambda limits: create('docker', limits))\n"
        "say(sandbox, 'bash', command='setsid sleep 1000 &')\n"
        "print('open', flush=True)\n"
        "say(sandbox, 'bash', command='sleep 1000')\n"
    )
    host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=HERE)
    assert host.stdout is not None and host.stdout.readline() == "open\n"
    assert _containers() == 1
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdout.close()
    deadline = time.monotonic() + 20
    while _containers() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert _containers() == 0
    assert backend.clean() == []


def _containers() -> int:
    return len(backend._client().containers.list(all=True, filters={"label": "org.workgym.sandbox"}))
