"""ADV001: the two parts of the mix at the end of an episode.

A masked part is exactly 0 where an episode ends. It confirms if one part is 0 while the
other is not, between steps at which neither is 0: the other part leaks from the next
episode. Parts that are 0 together at one step, between steps at which neither is, refute: rows of padding follow each other. A run in which no part was ever 0 shows nothing.
"""

from rlvet_harness import Probe

MOST = 512  # numbers of a part that are looked at


class NonterminalOnOneTerm(Probe):
    """Watches the sum of the two parts."""

    enough = 3
    needs = "episodes that end, at whose last step alone both parts are 0"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.state = []  # per environment: 1 after a step with both parts, 2 after a step with one, 3 after one with none, 0 after others
        self.together = 0

    def hit(self, hit):
        left, right = _flat(hit.part("left")), _flat(hit.part("right"))
        if not left or len(left) != len(right):
            self.unsure("the two parts were not observed together")
            return
        if len(self.state) != len(left):
            self.state = [0] * len(left)
        for i, (a, b, both) in enumerate(zip(left, right, _flat(hit.value))):
            if abs(a + b - both) <= 1e-4 * (abs(a) + abs(b)):  # otherwise the mask multiplies a whole sum
                self.step(i, a, b)

    def step(self, i, a, b):
        if a != 0 and b != 0:
            if self.state[i] == 2:
                self.confirm("at the end of an episode one part is 0 and the other is not")
            elif self.state[i] == 3:
                self.together += 1
                self.upheld()
            self.state[i] = 1
        elif a == 0 and b == 0:
            self.state[i] = 3 if self.state[i] == 1 else 0
        elif self.state[i] == 1:
            self.state[i] = 2
            self.show(left=a, right=b)

    def end(self):
        if self.together < self.enough:
            self.unsure("too few episodes ended within the observed steps")

    def holds(self):
        return "whenever one part was 0, so was the other"


def _flat(value):
    if hasattr(value, "flatten"):
        return [float(x) for x in value.flatten()[:MOST].tolist()]
    return [float(value)] if isinstance(value, (int, float)) else []
