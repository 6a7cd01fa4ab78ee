"""GRAD005: the incoming gradient, which backward never reads.

The returned gradient does not depend on it, so an incoming gradient that is not 1
everywhere confirms. Five that were 1, or a backward whose code loads it, refute.
"""

import dis
import sys

from rlvet_harness import Probe


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
        """Reports whether the code of backward loads one of its incoming gradients."""
        loads = {i.argval for i in dis.get_instructions(code) if "LOAD" in i.opname}
        loads |= set(code.co_cellvars)
        return any(name in loads or any(isinstance(l, tuple) and name in l for l in loads) for name in names)

    def holds(self):
        return "the incoming gradient was read, or was 1"
