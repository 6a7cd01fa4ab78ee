"""Runs one program under one seed: ``python -m rlvet_harness REQUEST``.

REQUEST is a file of JSON: root, script or module, argv, seed, targets (id, code, file,
start, end, text, row, end_row, probe), max_hits, max_steps, max_environment_steps,
respect_script_seeds. Events go to the descriptor in RLVET_FD.
"""

import json
import os
import sys
import traceback

from . import loopback, patches
from .budget import Stop
from .load import Program
from .run import Run
from .wire import Wire


def main(path):
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    loopback.bring_up()
    wire = Wire(int(os.environ["RLVET_FD"]))
    run = Run(request, wire)
    run.budget.watch_signals()
    wire.send("hello", python=sys.version.split()[0], seed=run.seed)
    patches.install(run)
    program = Program(run)
    program.install()
    status, code = "done", 0
    try:
        program.run_main()
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
    tell_versions(wire)
    run.bye(status)
    return code


def _own_traceback(error):
    """Returns the traceback without the frames of this package."""
    here = os.path.dirname(os.path.abspath(__file__)) + os.sep
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(here)]
    return "".join(traceback.format_list(frames)) + "".join(traceback.format_exception_only(type(error), error))


def tell_versions(wire):
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    fields = {}
    if numpy is not None:
        fields["numpy"] = getattr(numpy, "__version__", "")
    if torch is not None:
        fields["torch"] = str(getattr(torch, "__version__", ""))
        cuda = torch.cuda.is_available() and torch.cuda.is_initialized()
        fields["device"] = torch.cuda.get_device_name() if cuda else "cpu"
    wire.send("versions", **fields)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
