"""Has every place of rlvet_harness that sends an event send one, without torch; prints those
places as JSON, and which of them sent nothing."""

import ast
import contextlib
import glob
import json
import os
import sys
import tempfile
import types

import rlvet_harness
from rlvet_harness import __main__ as main_module
from rlvet_harness import children, events
from rlvet_harness import places as watching
from rlvet_harness.hunt import derivatives, guards, record

HERE = os.path.dirname(rlvet_harness.__file__)
PROBE = '''from rlvet_harness import Probe
class Everything(Probe):
    enough = 2
    def hit(self, hit):
        self.show(value=float("nan"), long="x" * 9000)
        self.plot(value=hit.value, low=1e300)
        if hit.value > 2:
            self.confirm("it is above 2 " + "y" * 9000, value=float("inf"), names=["\\udc80", "z" * 9000], of={"count": 3, "low": float("-inf")})
'''
SCRIPT = "x = [1, 2, 3]\nfor i in x:\n    y = i + 0\nraise ValueError('\\udcff' + 'm' * 9000)\n"


def places():
    """Returns the lines of the package on which an event is sent."""
    found = set()
    for path in glob.glob(HERE + "/**/*.py", recursive=True):
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "send" and ast.unparse(node.func.value) != "control":  # the server's socket
                found.add((os.path.relpath(path, HERE), node.lineno))
    return found


def watched(sent):
    """Lets Events.send note the line that calls it."""
    send = events.Events.send

    def send_and_note(self, event, **fields):
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(HERE):
            sent.add((os.path.relpath(frame.f_code.co_filename, HERE), frame.f_lineno))
            frame = frame.f_back
        send(self, event, **fields)

    events.Events.send = send_and_note


def request(folder):
    """Writes a request with a target that is watched and one that is refused."""
    script, probe, path = (os.path.join(folder, name) for name in ("main.py", "TST001.py", "request.json"))
    for name, text in ((script, SCRIPT), (probe, PROBE)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    target = {"code": "TST001", "file": script, "start": SCRIPT.index("i + 0"), "end": SCRIPT.index("i + 0") + 5, "row": 3, "end_row": 3, "text": "i + 0", "wider": None, "probe": probe}
    fields = {
        "protocol": events.VERSION, "root": folder, "script": script, "argv": [], "seed": 3, "targets": [{"id": 0, **target}, {"id": 1, **target, "text": "j + 0"}],
        "max_hits": 100, "max_steps": 0, "max_environment_steps": 0, "respect_script_seeds": False, "in_place": True, "instruments": [], "kept": folder,
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(fields, file)
    return path, fields


def from_child(fields):
    """Sends what only children send, and what instruments do, as a child."""
    run, _ = children.begin(fields, "1")
    run.budget.stop("hits")
    guarding = guards.Guards({}, run)
    guarding.fail("exception", "d" * 9000, stop=False, exception="ValueError", filename=None, row=0)
    for kind in ("loss", "gradient", "parameter", "optimizer-state", "exploding"):
        guarding.failed = False
        guarding.fail(kind, "it is nan", stop=False, parameter="policy.weight")
    run.instruments.guarded(guarding, lambda: 1 / 0)
    record.Recorder(guarding).refuse({"function": "Gate"}, "it is too large")
    deriving = derivatives.Derivatives({}, run)
    deriving.torch = types.SimpleNamespace(no_grad=contextlib.nullcontext)
    deriving.guarded(lambda: 1 / 0)
    deriving.tell({"function": "Gate", "filename": None, "row": 0})
    watching.Place(fields["targets"][0], run).tell({"evaluation": 7, "step": 2, "mean": 0.5})
    run.losses, run.nonfinite, run.backwards = [float("nan"), 1.5] * 32, {"step": 1, "what": "the loss is nan"}, 64
    run.finish("done")
    run.events.send("hits", id=0, hits=1, step=0)  # nothing comes after the end


def main():
    sent = set()
    watched(sent)
    with tempfile.TemporaryDirectory() as folder:
        path, fields = request(folder)
        sys.path.append(HERE)
        stderr, sys.stderr = sys.stderr, open(os.devnull, "w", errors="replace")
        main_module.main(path, [])
        sys.stderr = stderr
        from_child(fields)
        os.environ["RLVET_EVENTS"] = os.devnull  # of another version: this is what Go is to refuse
        with contextlib.suppress(SystemExit):
            children.begin({**fields, "protocol": 99})
    every = places()
    name = "{0[0]}:{0[1]}".format
    print(json.dumps({"all": sorted(map(name, every)), "missed": sorted(map(name, every - sent))}))


if __name__ == "__main__":
    main()
