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


class NormalizeReward(Wrapper):
    """Divides rewards by the standard deviation of the discounted return so far."""

    def __init__(self, env, gamma=0.99, epsilon=1e-8):
        super().__init__(env)
        self.gamma, self.epsilon = gamma, epsilon
        self.value, self.mean, self.squares, self.count = 0.0, 0.0, 0.0, 0

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.value = reward + self.gamma * self.value * (not terminated)
        self.count += 1
        away = self.value - self.mean
        self.mean += away / self.count
        self.squares += away * (self.value - self.mean)
        return obs, reward / (self.squares / self.count + self.epsilon) ** 0.5, terminated, truncated, info


class RecordEpisodeStatistics(Wrapper):
    """Puts the return of an episode into the info of its last step."""

    def reset(self, seed=None, options=None):
        self.paid, self.steps = 0.0, 0
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.paid, self.steps = self.paid + reward, self.steps + 1
        if terminated or truncated:
            info = {**info, "episode": {"r": self.paid, "l": self.steps}}
        return obs, reward, terminated, truncated, info
