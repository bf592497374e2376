# Guest code of the pack "shell": runs inside the sandbox, standard library only, never imports workgym.
# What they start runs in a process of its own, with the workspace as its folder.

import atexit
import gc
import linecache
import shutil
import sys
import threading
import traceback
import types


def bash(guest, command, timeout=None):
    shell = shutil.which("bash") or "/bin/sh"
    return [shell, "-c", command]


def python(guest, code, timeout=None):
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    sys.argv, sys.path[:0] = [""], [""]
    # Line by line, so that what is printed and what is complained of come in their order.
    sys.stdout.reconfigure(line_buffering=True)
    linecache.cache["<python>"] = (len(code), None, code.splitlines(keepends=True), "<python>")
    left = _execute(guest, code, main)
    # What the interpreter does at its end: wait for threads, close files that were left open.
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    main.__dict__.clear()
    gc.collect()
    sys.stdout.flush()
    return left


def _execute(guest, code, main):
    try:
        exec(compile(code, "<python>", "exec"), main.__dict__)
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        print(error.code, file=sys.stderr)
        return 1
    except BaseException as error:  # noqa: BLE001 - shown to the solver, whatever it is
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != "<python>":
            trace = trace.tb_next
        sys.stdout.flush()
        sys.stderr.write("".join(traceback.format_exception(type(error), error, trace)))
        return guest.TOLD
    return 0
