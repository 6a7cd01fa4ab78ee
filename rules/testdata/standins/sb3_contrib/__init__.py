"""A small stand-in for the contributed algorithms."""

from stable_baselines3 import BaseAlgorithm


class RecurrentPPO(BaseAlgorithm):
    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        return super().predict(observation)[0], (1 if state is None else state + 1)


class MaskablePPO(BaseAlgorithm):
    def predict(self, observation, state=None, episode_start=None, deterministic=False, action_masks=None):
        return super().predict(observation)
