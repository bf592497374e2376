"""A process that has workgym imported, and forks one for each command of a page: ``test_readme`` starts it.

``served.py serve SOCKET`` waits for commands. ``served.py ask SOCKET workgym|python ARGUMENTS...`` is one: it hands
over its arguments, folder, variables and streams, and ends with the exit code of the process that was forked for it.
"""

from __future__ import annotations

import array
import json
import os
import socket
import sys
import types

TASKS = "authoring.families check env package.apart quality repair replay rollout verify"
"""What most commands import, beyond the modules of the command line themselves."""


def ask(address: str, words: list[str]) -> int:
    """Stand in for a program. Nothing is imported here that takes time."""
    told = json.dumps([words, os.getcwd(), dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        streams = array.array("i", (0, 1, 2))
        line.sendmsg([len(told).to_bytes(8, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
        line.sendall(told)
        return line.recv(1)[0]


def serve(address: str) -> int:
    """Fork for each command, for ever. It returns in the process that was forked, with the command's exit code."""
    import gc
    import importlib
    import pkgutil

    import workgym.cli

    names = [module.name for module in pkgutil.iter_modules(workgym.cli.__path__, "workgym.cli.")]
    for name in (*names, *(f"workgym.{task}" for task in TASKS.split())):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    door = socket.socket(socket.AF_UNIX)
    door.bind(address)
    door.listen()
    print("ready", flush=True)
    while True:
        line, _ = door.accept()
        waiting = os.fork()
        if waiting == 0:
            door.close()
            working = os.fork()
            if working == 0:
                return run(line)
            line.send(bytes([os.waitstatus_to_exitcode(os.waitpid(working, 0)[1]) & 0xFF]))
            os._exit(0)
        line.close()
        os.waitpid(waiting, 0)


def run(line: socket.socket) -> int:
    """Become the command: its streams, folder, variables and arguments."""
    with line:
        size, passed, _, _ = line.recvmsg(8, socket.CMSG_SPACE(12))
        told = line.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
    for own, given in enumerate(array.array("i", passed[0][2])):
        os.dup2(given, own)
        os.close(given)
    (program, *arguments), folder, variables = json.loads(told)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.path[0] = ""
    if program == "workgym":
        from workgym.cli import main

        sys.argv = [program, *arguments]
        return main()
    option, text, *rest = arguments
    assert option == "-c"
    sys.argv = ["-c", *rest]
    sys.modules["__main__"] = module = types.ModuleType("__main__")
    exec(compile(text, "<string>", "exec"), vars(module))
    return 0


if __name__ == "__main__":
    what, where, *told = sys.argv[1:]
    sys.exit(ask(where, told) if what == "ask" else serve(where))
