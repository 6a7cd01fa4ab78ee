"""What makes vectors of environments."""

import gymnasium

from .vec_env import DummyVecEnv


def make_vec_env(env_id, n_envs=1, **options):
    return DummyVecEnv([(lambda: gymnasium.make(env_id)) if isinstance(env_id, str) else env_id] * n_envs)
