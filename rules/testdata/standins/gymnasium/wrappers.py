"""Wrappers of the stand-in."""

from . import Wrapper


class TimeLimit(Wrapper):
    """Ends an episode after some steps."""

    def __init__(self, env, max_episode_steps):
        super().__init__(env)
        self.limit, self.steps = max_episode_steps, 0

    def reset(self, seed=None, options=None):
        self.steps = 0
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        return obs, reward, terminated, truncated or self.steps >= self.limit, info
