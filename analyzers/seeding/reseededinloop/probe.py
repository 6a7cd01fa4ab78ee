"""SEED009: whether a generator is set to one seed again and again while a network is trained.

Two calls with the same seed, with a step of an optimizer between them, confirm. Other seeds refute.
"""

from rlvet_harness import Probe


class ReseededInLoop(Probe):
    """Watches the call that seeds."""

    enough = 1
    needs = "a seed that is none of those before"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last = None  # the last seed, and the steps before it
        self.seen = set()

    def hit(self, hit):
        seed = hit.part("arg0", "seed", "a")
        self.upheld(seed is not None and self.last is not None and repr(seed) not in self.seen)
        self.seen.add(repr(seed))
        if seed is not None and self.last is not None and self.last[0] == seed and self.last[1] < hit.step:
            self.confirm("the generator was set to the seed %r again after a step" % (seed,))
        self.last = (seed, hit.step)

    def holds(self):
        return "the seeds differed"
