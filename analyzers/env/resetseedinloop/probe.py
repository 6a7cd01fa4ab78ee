"""ENV005: whether reset gets the same seed again and again."""

from rlvet_harness import Probe


class ResetSeedInLoop(Probe):
    """Watches the call of reset."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seeds = []

    def hit(self, hit):
        self.seeds.append(hit.part("seed"))
        if len(self.seeds) >= 3 and self.seeds[-1] is not None and len({str(s) for s in self.seeds[-3:]}) == 1:
            self.confirm("three episodes began with the seed %r" % (self.seeds[-1],))

    def holds(self):
        return "the seeds differed"
