"""ENV005: whether reset gets the same seed again and again."""

from rlvet_harness import Probe


class ResetSeedInLoop(Probe):
    """Watches the call of reset."""

    needs = "an environment that is reset with another seed than before"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seeds = {}  # of each environment, by identity: it, and the seeds that it was reset with

    def hit(self, hit):
        env, seed = hit.part("receiver"), hit.part("seed")
        _, seeds = self.seeds.setdefault(id(env), (env, []))
        if seed is None:
            return
        seeds.append(str(seed))
        if len(seeds) >= 3 and len(set(seeds[-3:])) == 1:
            self.confirm("three episodes began with the seed %r" % (seed,))
        self.upheld(len(seeds) > 1 and seeds[-1] not in seeds[:-1])

    def holds(self):
        return "the seeds differed"
