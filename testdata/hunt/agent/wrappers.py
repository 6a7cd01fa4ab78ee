"""What stands between an environment and the agent: scales, and a record of episodes."""

import torch

from metrics import RunningMoments
from spaces import Observation


class Wrapper:
    """Passes everything on."""

    def __init__(self, env):
        self.env = env

    def __getattr__(self, name):
        return getattr(self.env, name)

    def reset(self):
        return self.env.reset()

    def step(self, actions):
        return self.env.step(actions)


class NormaliseBody(Wrapper):
    """Brings what the agent sees of itself to mean 0 and deviation 1, over all that was seen so far."""

    def __init__(self, env, limit=5.0):
        super().__init__(env)
        self.moments, self.limit, self.frozen = RunningMoments(env.body_space.size), limit, False

    def reset(self):
        return self._normalise(self.env.reset())

    def step(self, actions):
        observation, rewards, over, info = self.env.step(actions)
        info = {**info, "final": self._normalise(info["final"], learn=False)}
        return self._normalise(observation), rewards, over, info

    def _normalise(self, observation, learn=True):
        if learn and not self.frozen:
            self.moments.update(observation.body)
        body = (observation.body - self.moments.mean) / self.moments.deviation()
        return Observation(body.clamp(-self.limit, self.limit), observation.things, observation.present)


class ScaleReward(Wrapper):
    """Multiplies rewards by a constant."""

    def __init__(self, env, scale):
        super().__init__(env)
        self.scale = scale

    def step(self, actions):
        observation, rewards, over, info = self.env.step(actions)
        return observation, self.scale * rewards, over, info


class RecordEpisodes(Wrapper):
    """Puts length and return of the episodes that end into the info, in the environment's own reward."""

    def __init__(self, env):
        super().__init__(env)
        self.returns = torch.zeros(env.worlds)
        self.lengths = torch.zeros(env.worlds)

    def reset(self):
        self.returns.zero_()
        self.lengths.zero_()
        return self.env.reset()

    def step(self, actions):
        observation, rewards, over, info = self.env.step(actions)
        self.returns += rewards
        self.lengths += 1
        episodes = list(zip(self.returns[over].tolist(), self.lengths[over].tolist()))
        self.returns[over] = 0
        self.lengths[over] = 0
        return observation, rewards, over, {**info, "episodes": episodes}


def wrap(env, config):
    """Puts the wrappers of the settings around an environment."""
    env = RecordEpisodes(env)
    if config.reward_scale != 1.0:
        env = ScaleReward(env, config.reward_scale)
    if config.normalise:
        env = NormaliseBody(env)
    return env
