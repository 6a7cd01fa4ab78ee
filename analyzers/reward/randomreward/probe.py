"""RWD008: whether the same answer gets another reward the next time."""

from rlvet_harness import Probe


class RandomReward(Probe):
    """Watches the rewards of the answers, which are called twice each."""

    enough = 8
    needs = "an answer in sight that is scored twice"
    scores = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = {}  # what answers got, by the texts around

    def hit(self, hit):
        frame = self.frame()
        texts = tuple(v for v in (frame.f_locals if frame else {}).values() if isinstance(v, str))
        if not texts or not isinstance(hit.value, (int, float)):
            return
        if texts not in self.seen:
            self.seen[texts] = hit.value
        elif self.seen[texts] != hit.value:
            self.confirm("one answer got %g, and %g the next time" % (self.seen[texts], hit.value))
        else:
            self.upheld()

    def holds(self):
        return "equal answers got equal rewards"
