"""Runs one program under one seed: ``python -m rlvet_harness REQUEST``.

With SCRIPT and its arguments behind REQUEST, runs the script as a child of that program.

REQUEST is a file of JSON that internal/harness/protocol/protocol.json defines. Events go to
the pipe whose path is in RLVET_EVENTS.
"""

import atexit
import json
import os
import sys
import threading
import traceback

from . import children, loopback
from .budget import Stop
from .events import hello

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep  # where the frames of this package are


def main(path, script):
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    loopback.bring_up()
    run, program = children.begin(request, os.environ[children.NAME] if script else "")
    children.expect(run, path)
    run.events.send("hello", **hello(run.entropy))
    status, code = "done", 0
    try:
        program.run_script(script) if script else program.run_main()
    except Stop as stop:
        status = str(stop)
    except SystemExit as exit:
        code = exit.code if isinstance(exit.code, int) else (0 if exit.code is None else 1)
        status = "done" if code == 0 else "exit"
    except BaseException as error:
        status, code = "crash", 1
        traceback.print_exception(type(error), error, _below_us(error.__traceback__))
        run.crashed(error)
        run.events.send("crash", type=type(error).__name__, message=str(error)[:1000], traceback=_own_traceback(error))
    _await_threads()
    run.finish(status)
    if not request.get("in_place"):
        leave(code)
    return code


def _await_threads():
    """Waits for the threads of the program, as Python does before it ends: what they evaluate
    counts. Pools are asked to let theirs go first, as Python does, too."""
    for let_go in reversed(getattr(threading, "_threading_atexits", [])):
        let_go()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def leave(code):
    """Ends the process as Python does, but for taking modules apart: with torch that takes
    half a second, and what it would still write, it would write into the copy."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for flush in (lambda: sys.stdout.flush(), lambda: sys.stderr.flush(), lambda: sys.modules["ctypes"].CDLL(None).fflush(None)):
        try:
            flush()
        except Exception:  # the program has closed or replaced it, or there is no C library to ask
            pass
    os._exit(code & 0xFF)


def _below_us(trace):
    """Returns what a traceback shows from the program's first frame on, as Python would print it."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_HERE):
        trace = trace.tb_next
    return trace


def _own_traceback(error):
    """Returns the traceback without the frames of this package."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(_HERE)]
    return "".join(traceback.format_list(frames)) + "".join(traceback.format_exception_only(type(error), error))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
