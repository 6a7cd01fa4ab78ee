"""SEED008: whether reset draws from the shared generator when it was given a seed."""

from rlvet_harness import Probe


class ResetIgnoresSeed(Probe):
    """Watches the draw."""

    enough = 1
    needs = "what no run shows: a seed that is not None confirms"

    def hit(self, hit):
        frame = self.frame()
        seed = frame.f_locals.get("seed") if frame is not None else None
        if seed is None:
            self.unsure("reset was given no seed")
        else:
            self.confirm("reset was given the seed %r and drew from the shared generator" % (seed,))
