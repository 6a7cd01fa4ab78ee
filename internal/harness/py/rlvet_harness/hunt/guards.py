"""Watches a run cheaply until training goes wrong.

After each step the norm of each gradient and parameter is computed, all by one call and
read at once, so that a GPU is waited for once a step; each loss is looked at before its
backward. Where the norm says that something is wrong, the tensors are looked at one by
one. The run ends with the first failure: what follows is ruined anyway.
"""

import gc
import math
import random
import traceback
import zlib

from ..instrument import Instrument
from ..observe import parameters_of
from . import environments, modules, tensors

EVERY_STEP = 64  # steps that are all looked at; later on every second
MOST = 4000  # losses and norms that are kept
DIGESTS = 256  # steps of which digests are kept, to say where two runs part
EXPLODED = 1e8  # a norm of the gradient that no training recovers from
GROWN = 1e5  # times the median of the norms before
VANISHED = 1e-12  # times the largest such median: nothing is learned any more
FEW = 10  # steps that say nothing yet
NONFINITE_WORDS = ("nan", "overflow", "multinomial distribution", "inf", "finite", "probability tensor", "expected value argument", "satisfy the constraint")


class Guards(Instrument):
    """Finds the first failure of a plain run."""

    def __init__(self, settings, run):
        super().__init__(settings, run)
        self.torch = None
        self.backwards = 0
        self.losses, self.norms, self.digests = [], [], []
        self.rollout_step = self.last_environment_step = None
        self.unused = {}  # id of a parameter: itself, steps, those without gradient, those with zeros
        self.typical, self.vanished, self.looks = 0.0, None, 0
        self.names, self.skipped, self.scaler = {}, 0, False
        self.failed = False
        self.devices, self.compiled = set(), False
        self.inputs = 0
        environments.watch_classes(run)

    def imported(self, torch):
        self.torch = torch
        _watch_scaler(torch, self)
        self.compiled_by(torch)
        if self.settings.get("digests"):
            torch.nn.modules.module.register_module_forward_pre_hook(self.digest_input)

    def compiled_by(self, torch):
        compile = getattr(torch, "compile", None)
        if compile is not None:

            def compile_and_tell(*args, **kwargs):
                self.compiled = True
                return compile(*args, **kwargs)

            torch.compile = compile_and_tell

    # What the program does.

    def before_backward(self, loss):
        self.backwards += 1
        value = float(loss.detach()) if loss.numel() == 1 else float(loss.detach().double().mean())
        _kept(self.losses, [self.backwards, self.run.steps, value])
        if not math.isfinite(value) and not self.scaler:
            self.fail("loss", "the loss is %s" % value)

    def stepped(self, optimizer):
        step = self.run.steps
        if len(self.digests) < DIGESTS:
            self.digests.append(self.digest(optimizer))
        if step > EVERY_STEP and step % 2:
            return
        parameters = parameters_of(optimizer)
        reached = [p for p in parameters if p.grad is not None and p.grad.layout == self.torch.strided]
        self.devices.update(str(p.device) for p in parameters[:1] + parameters[-1:])
        norms = self.norms_of([p.grad for p in reached] + parameters)
        self.count_unused(parameters, {id(p) for p, norm in zip(reached, norms) if norm == 0})
        norm = math.hypot(*norms[: len(reached)])
        _kept(self.norms, [step, norm])
        if not math.isfinite(norm) or not math.isfinite(math.hypot(*norms[len(reached) :])):
            self.blame(optimizer, parameters)
        else:
            self.compare(norm, step)

    def norms_of(self, list):
        """Returns the norm of each tensor, by one reading."""
        torch = self.torch
        if not list:
            return []
        if len({(t.device, t.dtype) for t in list}) > 1 or list[0].dtype == torch.float16:
            each = [t.detach().float().norm().cpu() for t in list]
        else:
            each = torch._foreach_norm([t.detach() for t in list])
        return torch.stack([*each]).tolist()

    def count_unused(self, parameters, zero):
        for p in parameters:
            if p.requires_grad:
                seen = self.unused.setdefault(id(p), [p, 0, 0, 0])
                seen[1] += 1
                seen[2] += p.grad is None
                seen[3] += p.grad is None or id(p) in zero

    def blame(self, optimizer, parameters):
        """Says which tensor is wrong after a step."""
        for p in parameters:
            if p.grad is not None and tensors.is_bad(p.grad):
                self.fail("gradient", "a gradient has %s" % tensors.said(tensors.stats(p.grad)), parameter=self.name_of(p))
        for p in parameters:
            if tensors.is_bad(p):
                kind = "optimizer-state" if self.state_is_bad(optimizer, p) else "parameter"
                self.fail(kind, "a parameter has %s after a step, and its gradient is finite" % tensors.said(tensors.stats(p)), parameter=self.name_of(p))
        self.fail("exploding", "the gradient or a parameter has grown beyond what float32 can square")

    def state_is_bad(self, optimizer, parameter):
        state = optimizer.state.get(parameter, {})
        return any(tensors.is_bad(v) for v in tensors.tensors_in(dict(state)))

    def compare(self, norm, step):
        """Compares the norm of the gradient with those before it."""
        before = sorted(n for _, n in self.norms[-64:-1])
        if len(before) <= 3:
            return
        median = before[len(before) // 2]
        if norm > EXPLODED and norm > GROWN * median:
            self.fail("exploding", "the norm of the gradient is %.3g; its median before was %.3g" % (norm, median))
        self.typical = max(self.typical, median)
        if norm > VANISHED * self.typical or self.typical == 0:
            self.vanished, self.looks = None, 0
        else:
            self.vanished, self.looks = step if self.vanished is None else self.vanished, self.looks + 1

    def environment_stepped(self, environment, out):
        if self.last_environment_step != self.run.steps:  # a new rollout
            self.rollout_step, self.last_environment_step = self.run.steps, self.run.steps

    def crashed(self, error):
        if not self.failed and self.torch is not None and is_numeric(error):
            file, row = place_of(self.run, error)
            text = "%s: %s" % (type(error).__name__, str(error)[:600])
            self.fail("exception", text, stop=False, exception=type(error).__name__, filename=file, row=row)

    def fail(self, kind, detail, stop=True, **fields):
        if self.failed:
            return
        self.failed = True
        self.send("failure", kind=kind, step=self.run.steps, backward=self.backwards, detail=detail, **fields)
        if stop:
            self.stop("failure")

    # What is told.

    def name_of(self, parameter):
        if id(parameter) not in self.names:
            self.names.update(_names(self.torch))
        return self.names.get(id(parameter), "of shape %s" % (tuple(parameter.shape),))

    def digest_input(self, module, inputs):
        for t in tensors.tensors_in(inputs):
            self.inputs = zlib.crc32(t.detach().cpu().contiguous().numpy().tobytes()[:65536], self.inputs)

    def digest(self, optimizer):
        """Returns digests of what decides a step: the generators, inputs, and a parameter."""
        drawn = zlib.crc32(self.torch.get_rng_state().numpy().tobytes())
        drawn = zlib.crc32(repr(random.getstate()[1][-1]).encode(), drawn)
        return [self.run.steps, drawn, self.inputs]

    def end(self, status):
        unused = [
            {"parameter": self.name_of(p), "shape": list(p.shape), "why": "never" if without == steps else "zero"}
            for p, steps, without, zero in self.unused.values() if steps >= FEW and zero == steps
        ] if self.torch is not None else []
        self.keep({
            "vanished": self.vanished if self.looks >= FEW else None,
            "losses": self.losses, "norms": self.norms, "rollout_step": self.rollout_step, "unused": unused, "steps": self.run.steps,
            "amp": {"scaler": self.scaler, "skipped": self.skipped}, "devices": sorted(self.devices), "compiled": self.compiled,
            "digests": self.digests,
        })


def is_numeric(error):
    """Reports whether an exception may come of a number that is not finite."""
    text = "%s %s" % (type(error).__name__, error)
    return isinstance(error, (AssertionError, FloatingPointError)) or any(w in text.lower() for w in NONFINITE_WORDS)


def place_of(run, error):
    """Returns file and row of the innermost line of the program that an exception left."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if run.is_program(f.filename)]
    return (run.shown(frames[-1].filename), frames[-1].lineno) if frames else (None, 0)


def _kept(points, point):
    """Keeps a point; of very many every second one goes."""
    points.append(point)
    if len(points) > MOST:
        del points[1:-1:2]


def _watch_scaler(torch, guards):
    """Learns of steps that a GradScaler skips: those are no failures."""
    try:
        scaler = torch.cuda.amp.GradScaler
    except AttributeError:
        return
    scale, step = scaler.scale, scaler.step

    def scale_and_tell(self, *args, **kwargs):
        guards.scaler = guards.scaler or self.is_enabled()
        return scale(self, *args, **kwargs)

    def step_and_tell(self, *args, **kwargs):
        before = guards.run.steps
        out = step(self, *args, **kwargs)
        guards.skipped += guards.run.steps == before
        return out

    scaler.scale, scaler.step = scale_and_tell, step_and_tell


def _names(torch):
    """Returns the names of all parameters that live in modules of the program."""
    out = {}
    for module in [m for m in gc.get_objects() if isinstance(m, torch.nn.Module)]:
        for name, p in module.named_parameters(recurse=False):
            out[id(p)] = "%s.%s" % (modules.path_of(module), name)
    return out
