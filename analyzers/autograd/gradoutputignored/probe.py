"""GRAD005: the incoming gradient, which backward never reads.

A returned gradient that does not depend on it is wrong where the incoming gradient is not 1
everywhere: that confirms, unless the code of backward loads it for more than its shape or type.
The Function is replayed on the inputs of the run with other incoming gradients: a returned gradient
that changes with them refutes.
"""

import dis
import sys

from rlvet_harness import Probe
from rlvet_harness.graph import inputs_of, running
from rlvet_harness.hunt import cases, replay
from rlvet_harness.hunt.slopes import DOUBLE

REPLAYS = 8  # evaluations that are replayed

# What of a tensor tells nothing of its elements, as gradoutputignored.go has it.
METADATA = frozenset(
    "dtype device shape size dim ndim ndimension numel nelement layout is_cuda requires_grad stride is_contiguous"
    " new_zeros new_ones new_full new_empty".split()
)


class GradOutputIgnored(Probe):
    """Watches a gradient that backward returns."""

    enough = 3
    needs = "inputs of the run at which the gradient can be computed again, for other incoming gradients"
    functions = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.replaying = False
        self.returned = []  # the flagged value at the replays

    def hit(self, hit):
        if self.replaying:
            self.hits -= 1
            self.returned.append(hit.value)
            return
        torch = sys.modules["torch"]
        frame, ctx = running(self.frame())
        if ctx is None:
            self.unsure("it was evaluated by no backward that autograd ran")
            return
        code = frame.f_code
        names = code.co_varnames[1:code.co_argcount]
        incoming = [frame.f_locals.get(name) for name in names]
        incoming = [g for g in incoming if isinstance(g, torch.Tensor)]
        if not incoming:
            self.unsure("the incoming gradient was not observed")
            return
        off = max(float((g.detach() - 1).abs().max()) for g in incoming if g.numel())
        self.show(off_from_one=off)
        self.plot(off_from_one=off)
        if self.hits <= REPLAYS and self.changes(torch, ctx):
            self.upheld()
        elif off > 0 and not self.read(code, names):
            self.confirm("the incoming gradient is not 1, and the returned gradient does not depend on it", off_from_one=off)

    def changes(self, torch, ctx):
        """Reports whether a replay with another incoming gradient returned another one."""
        inputs, self.replaying, self.returned = inputs_of(ctx), True, []
        try:
            case = replay.ready(cases.of_function(torch, type(ctx)._forward_cls.apply, ["input %d" % i for i in range(len(inputs or ()))], inputs or (), DOUBLE))
            self.returned = []
            for weight in case.weights:
                case.gradients(weight)
        except (replay.Untested, *replay.REFUSED):
            return False
        finally:
            self.replaying = False
        values = [v.detach() for v in self.returned if isinstance(v, torch.Tensor)]
        return any(v.shape != values[0].shape or not torch.equal(v, values[0]) for v in values[1:])

    def read(self, code, names):
        """Reports whether the code of backward loads one of its incoming gradients for its elements."""
        steps = list(dis.get_instructions(code))
        loads = set(code.co_cellvars)
        for step, following in zip(steps, steps[1:]):
            if "LOAD" not in step.opname:
                continue
            loaded = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            if following.opname in ("LOAD_ATTR", "LOAD_METHOD") and following.argval in METADATA:
                loaded = loaded[:-1]
            loads.update(loaded)
        return any(name in loads for name in names)

    def holds(self):
        return "the returned gradient changed with the incoming one"
