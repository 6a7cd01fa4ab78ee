"""RWD008: whether the same answer gets another reward the next time."""

from rlvet_harness import Probe


class RandomReward(Probe):
    """Watches the rewards of the answers, which are called twice each."""

    enough = 8
    scores = True

    def hit(self, hit):
        frame = self.frame()
        texts = tuple(str(v) for v in (frame.f_locals if frame else {}).values() if isinstance(v, str))
        before = self.seen.setdefault(texts, hit.value)
        if isinstance(hit.value, (int, float)) and before != hit.value:
            self.confirm("one answer got %g, and %g the next time" % (before, hit.value))

    @property
    def seen(self):
        return self.__dict__.setdefault("_seen", {})

    def holds(self):
        return "equal answers got equal rewards"
