"""Vectors of environments of the stand-in."""


class SyncVectorEnv:
    """Steps several environments one after the other."""

    def __init__(self, fns):
        self.envs = [fn() for fn in fns]

    def reset(self, seed=None, options=None):
        import numpy

        seeds = [None if seed is None else seed + i for i in range(len(self.envs))]
        return numpy.stack([e.reset(seed=s, options=options)[0] for e, s in zip(self.envs, seeds)]), {}

    def step(self, actions):
        import numpy

        rows = [e.step(a) for e, a in zip(self.envs, actions)]
        return tuple(numpy.stack([r[i] for r in rows]) for i in range(4)) + ({},)
