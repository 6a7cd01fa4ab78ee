"""Runs one program under one seed: ``python -m rlvet_harness REQUEST``.

With SCRIPT and its arguments behind REQUEST, runs the script as a child of that program.

REQUEST is a file of JSON: root, script or module, argv, seed, targets (id, code, file,
start, end, text, row, end_row, probe), max_hits, max_steps, max_environment_steps,
respect_script_seeds. Events go to the pipe whose path is in RLVET_EVENTS.
"""

import json
import os
import sys
import traceback

from . import children, loopback
from .budget import Stop


def main(path, script):
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    loopback.bring_up()
    run, program = children.begin(request, os.environ[children.NAME] if script else "")
    children.expect(run, path)
    wire = run.wire
    wire.send("hello", python=sys.version.split()[0], seed=run.entropy)
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
        traceback.print_exc()
        run.crashed(error)
        wire.send("crash", type=type(error).__name__, message=str(error)[:1000], traceback=_own_traceback(error))
    run.bye(status)
    return code


def _own_traceback(error):
    """Returns the traceback without the frames of this package."""
    here = os.path.dirname(os.path.abspath(__file__)) + os.sep
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(here)]
    return "".join(traceback.format_list(frames)) + "".join(traceback.format_exception_only(type(error), error))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
