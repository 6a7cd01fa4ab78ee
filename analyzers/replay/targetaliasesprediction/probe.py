"""OFF017: what else holds the memory of the tensor that a target is written into.

It confirms if another name of the program does: the prediction is overwritten then. Memory that no other tensor has refutes.
"""

import gc
import sys

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor
from rlvet_harness.trace import same_memory

LOOKED = 3  # evaluations at which all tensors of the program are looked at


class TargetAliasesPrediction(Probe):
    """Watches the y of y[i] = x."""

    enough = 1
    needs = "memory that no other tensor of the program has"

    def hit(self, hit):
        value = hit.value
        if not is_tensor(value) or not value.numel():
            self.unsure("what is written into is no tensor")
            return
        others = self.others(value)
        self.show(also_held_by=others)
        if others:
            self.confirm("`%s` shares the memory, so it is overwritten too" % others[0], also_held_by=others)
        elif self.hits <= LOOKED:
            self.upheld(not any(is_tensor(x) and x is not value and same_memory(x, value) for x in gc.get_objects()))

    def others(self, value):
        """Returns the other names in the program's frame that reach the memory."""
        frame = sys._getframe()
        while frame is not None and not self.run.is_program(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None:
            return []
        own = self.target["text"]
        return sorted(n for n, x in frame.f_locals.items() if n != own and is_tensor(x) and same_memory(x, value))

    def holds(self):
        return "nothing else held the memory that is written into"
