"""Vectors of environments, and the one that normalises."""


class VecEnv:
    pass


class DummyVecEnv(VecEnv):
    def __init__(self, fns):
        self.envs = [fn() for fn in fns]
        self.num_envs = len(self.envs)

    def reset(self):
        return [e.reset()[0] for e in self.envs]

    def step(self, actions):
        out = [e.step(a) for e, a in zip(self.envs, actions)]
        for e, o in zip(self.envs, out):
            if o[2] or o[3]:
                e.reset()
        return [o[0] for o in out], [o[1] for o in out], [o[2] or o[3] for o in out], [o[4] for o in out]


SubprocVecEnv = DummyVecEnv


class VecNormalize(VecEnv):
    def __init__(self, venv, training=True, norm_obs=True, norm_reward=True, **options):
        self.venv, self.training, self.norm_reward = venv, training, norm_reward
        self.envs, self.num_envs, self.count = venv.envs, venv.num_envs, 0

    @staticmethod
    def load(path, venv):
        return VecNormalize(venv)

    def save(self, path):
        pass

    def reset(self):
        return self.venv.reset()

    def step(self, actions):
        self.count += self.training
        return self.venv.step(actions)
