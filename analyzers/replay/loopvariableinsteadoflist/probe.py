"""OFF001: the list whose last item is used.

It confirms if a list among the variables of the function and its callers, or in their objects, has two items or more and ends with
the value of the flagged variable.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import parts_near


class LoopVariableInsteadOfList(Probe):
    """Watches the variable that is read behind the loop."""

    enough = 1
    needs = "what no run shows: a list that ends with the value may be anywhere"

    def hit(self, hit):
        for _, _, value in parts_near(self.frame()):
            if isinstance(value, list) and len(value) > 1 and self.ends(value[-1], hit.value):
                self.confirm("the last item is used instead of the list", items=len(value))
                return

    def ends(self, last, value):
        return last is value or isinstance(last, list) and len(last) == 1 and last[0] is value

