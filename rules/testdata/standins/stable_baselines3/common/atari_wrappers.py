"""The wrapper of Stable-Baselines3 that repeats each action."""


class MaxAndSkipEnv:
    """Keeps the environment that it is given."""

    def __init__(self, env, skip=4):
        self.env, self._skip = env, skip
