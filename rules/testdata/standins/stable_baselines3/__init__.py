"""A small stand-in for Stable-Baselines3: models that step environments and learn nothing."""

from .common.vec_env import DummyVecEnv, VecEnv


class Buffer:
    """A replay buffer that counts."""

    def __init__(self):
        self.n = 0

    def size(self):
        return self.n


class BaseAlgorithm:
    """Steps its environment at random."""

    off_policy = False

    def __init__(self, policy, env, **options):
        self.env = env if isinstance(env, VecEnv) or env is None else DummyVecEnv([lambda: env])
        self.num_timesteps = 0
        self.replay_buffer = Buffer() if self.off_policy else None

    @classmethod
    def load(cls, path, env=None, **options):
        return cls("loaded", env)

    def save(self, path):
        pass

    def set_parameters(self, path):
        pass

    def load_replay_buffer(self, path):
        self.replay_buffer.n = 100

    def save_replay_buffer(self, path):
        pass

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        return [self.env.envs[0].action_space.sample() for _ in observation], None

    def learn(self, total_timesteps, callback=None, reset_num_timesteps=True, **options):
        if reset_num_timesteps:
            self.num_timesteps = 0
        self.env.reset()
        for _ in range(0, min(total_timesteps, 64), self.env.num_envs):
            self.env.step(self.predict(range(self.env.num_envs))[0])
            self.num_timesteps += self.env.num_envs
            if self.replay_buffer is not None:
                self.replay_buffer.n += 1
            for c in callback if isinstance(callback, list) else [callback]:
                if c is not None:
                    c.n_calls, c.num_timesteps = c.n_calls + 1, self.num_timesteps
        return self


class PPO(BaseAlgorithm):
    pass


class A2C(BaseAlgorithm):
    pass


class SAC(BaseAlgorithm):
    off_policy = True


class TD3(BaseAlgorithm):
    off_policy = True


class DQN(BaseAlgorithm):
    off_policy = True
