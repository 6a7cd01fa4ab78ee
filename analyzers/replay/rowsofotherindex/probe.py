"""OFF070: whether the flagged rows are those that the minibatch was drawn with.

The index is sought among the variables around: positions, each once, as many as there are rows. Confirmed if the rows at these
positions are other ones; refuted if they are the same.
"""

import ast
import dis

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class RowsOfOtherIndex(Probe):
    """Watches rows that are taken of a tensor."""

    enough = 1
    needs = "an index in sight that is used elsewhere, too, and whose rows are these"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.compared = 0

    def hit(self, hit):
        rows, whole, frame = hit.value, hit.part("value"), self.frame()
        if not is_tensor(rows) or not is_tensor(whole) or rows.dim() == 0 or frame is None:
            return
        for name, index in list(frame.f_locals.items()):
            at = _positions(index, rows.shape[0], whole.shape[0])
            if at is not None:
                self.compared += 1
                self.upheld(bool((whole[at] == rows).all()) and self.used_elsewhere(frame, name))
                if not bool((whole[at] == rows).all()):
                    self.confirm("the minibatch has other rows than these", rows=rows.shape[0])

    def used_elsewhere(self, frame, name):
        """Reports whether a variable is read in the function besides where the rows are taken."""
        node = self.expression()
        here = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node)) if node is not None else 0
        loads = [step.argval for step in dis.get_instructions(frame.f_code) if step.opname.startswith("LOAD")]
        return sum(name == x or isinstance(x, tuple) and name in x for x in loads) > here

    def end(self):
        if not self.compared:
            self.unsure("the index of the minibatch was not found")

    def holds(self):
        return "the rows are those of the minibatch"


def _positions(index, count, most):
    """Returns an index as a list, None where it is no drawn index of that many rows."""
    if not hasattr(index, "tolist") or getattr(index, "ndim", 0) != 1 or len(index) != count or count < 2:
        return None
    at = index.tolist()
    whole = all(type(i) is int and 0 <= i < most for i in at)
    return at if whole and len(set(at)) == count else None
