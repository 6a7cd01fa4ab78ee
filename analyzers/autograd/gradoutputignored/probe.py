"""GRAD005: the incoming gradient, which backward never reads.

The returned gradient does not depend on it, so an incoming gradient that is not 1
everywhere confirms. Five that were 1, or a backward whose code loads it for more than its
shape or type, refute.
"""

import dis
import sys

from rlvet_harness import Probe

# What of a tensor tells nothing of its elements, as gradoutputignored.go has it.
METADATA = frozenset(
    "dtype device shape size dim ndim ndimension numel nelement layout is_cuda requires_grad stride is_contiguous"
    " new_zeros new_ones new_full new_empty".split()
)


class GradOutputIgnored(Probe):
    """Watches a gradient that backward returns."""

    enough = 5

    def hit(self, hit):
        torch = sys.modules["torch"]
        frame = self.frame()
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
        if off > 0 and not self.read(code, names):
            self.confirm("the incoming gradient is not 1, and the returned gradient does not depend on it", off_from_one=off)

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
        return "the incoming gradient was read, or was 1"
