"""RWD007: whether a very long answer gets the largest reward."""

from rlvet_harness import Probe


class LengthWithoutBound(Probe):
    """Watches the rewards."""

    enough = 5
    scores = True
    least = None

    def hit(self, hit):
        if isinstance(hit.value, (int, float)):
            self.least = hit.value if self.least is None else min(self.least, hit.value)
            if hit.value > 100 * max(1e-3, abs(self.least)) and self.hits > 1:
                self.confirm("a long answer gets %g, a short one %g" % (hit.value, self.least))

    def holds(self):
        return "long answers got no more than others"
