"""KL011: the tensor before and after the change, and what else holds it.

It confirms if values change in memory that another name or a container of the program also
holds. A change of memory that nothing else holds refutes.
"""

import gc
import sys
import types

from rlvet_harness import Hit, Probe
from rlvet_harness.observe import is_tensor
from rlvet_harness.trace import same_memory


class InPlaceKLAlias(Probe):
    """Watches x *= y and x += y."""

    needs = "a tensor whose memory nothing else in the program holds"

    def hit(self, hit):
        value, right = hit.value, hit.parts.get("right")
        if not is_tensor(value) or value.numel() == 0:
            return
        if not _changes(self.target["text"], value, right):
            return
        others = self.others(value)
        self.show(also_held_by=others)
        if others:
            self.confirm("`%s` shares the memory, so its values changed too" % others[0], also_held_by=others)
        elif not _held_elsewhere(value, self.own(), hit.parts):
            self.upheld()

    def others(self, value):
        """Returns the names in the program's frame that reach the memory, other than the
        modified one."""
        frame = sys._getframe()
        while frame is not None and not self.run.is_program(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None:
            return []
        return sorted(name for name, held in frame.f_locals.items() if name != self.own() and not name.startswith("__") and _holds(held, value))

    def own(self):
        """Returns the name of what is changed, as the program writes it."""
        return self.target["text"].split("=")[0].rstrip(" *+-/")

    def holds(self):
        return "nothing else held the modified memory"


def _holds(held, value):
    if isinstance(held, (list, tuple)):
        return any(is_tensor(h) and same_memory(h, value) for h in held[:1000])
    return is_tensor(held) and same_memory(held, value)


def _held_elsewhere(value, own, parts):
    """Reports whether anything but the variable own holds a tensor, or another tensor has its memory."""
    for holder in gc.get_referrers(value):
        if holder is parts or isinstance(holder, (Hit, types.FrameType)):
            continue
        if not isinstance(holder, dict) or any(held is value and name != own for name, held in list(holder.items())):
            return True
    return any(is_tensor(other) and other is not value and same_memory(other, value) for other in gc.get_objects())


def _changes(text, value, right):
    """Reports whether x op= right changed any number of x, of which value is the result."""
    neutral = 1 if "*=" in text or "/=" in text else 0
    changed = (right != neutral) if not is_tensor(right) else bool((right != neutral).any())
    return bool(changed) and (neutral == 0 or bool((value != 0).any()))
