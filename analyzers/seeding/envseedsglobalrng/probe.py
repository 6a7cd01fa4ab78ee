"""SEED007: whether the shared generator is seeded by the environment.

That the function seeds the generator of the whole process is known; a run shows that it is called.
"""

from rlvet_harness import Probe


class EnvSeedsGlobalRng(Probe):
    """Watches the call that seeds."""

    enough = 1
    needs = "what no run shows: a seed that is not None confirms"

    def hit(self, hit):
        seed = hit.part("arg0", "seed", "a")
        if seed is None:
            self.unsure("the generator was seeded with None")
        else:
            self.confirm("the shared generator was set to the seed %r" % (seed,))
