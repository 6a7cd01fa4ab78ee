"""ADV001: the two parts of the mix, where an episode ends.

A part that the mask multiplies is exactly 0 where an episode ends. One part that is 0
while the other is not, in the midst of steps at which neither is, confirms: the other
leaks from the next episode. Parts that vanish together refute; a run in which no part was
ever 0 tells nothing.
"""

from rlvet_harness import Probe

MOST = 512  # numbers of a part that are looked at


class NonterminalOnOneTerm(Probe):
    """Watches the sum of the two parts."""

    enough = 3

    def __init__(self, target, run):
        super().__init__(target, run)
        self.state = []  # of each environment: 1 after a step with both, 2 after one with one
        self.together = 0

    def hit(self, hit):
        left, right = _flat(hit.part("left")), _flat(hit.part("right"))
        if not left or len(left) != len(right):
            self.unsure("the two parts were not seen side by side")
            return
        if len(self.state) != len(left):
            self.state = [0] * len(left)
        for i, (a, b, both) in enumerate(zip(left, right, _flat(hit.value))):
            if abs(a + b - both) <= 1e-4 * (abs(a) + abs(b)):  # else the mask multiplies a whole sum
                self.step(i, a, b)

    def step(self, i, a, b):
        if a != 0 and b != 0:
            if self.state[i] == 2:
                self.confirm("where one part is 0, since the episode ends there, the other is not")
            self.state[i] = 1
        elif a == 0 and b == 0:
            self.together += 1
        elif self.state[i] == 1:
            self.state[i] = 2
            self.show(left=a, right=b)

    def end(self):
        if self.together < self.enough:
            self.unsure("too few episodes ended in the midst of the steps that were seen")

    def holds(self):
        return "both parts were 0 where one was"


def _flat(value):
    if hasattr(value, "flatten"):
        return [float(x) for x in value.flatten()[:MOST].tolist()]
    return [float(value)] if isinstance(value, (int, float)) else []
