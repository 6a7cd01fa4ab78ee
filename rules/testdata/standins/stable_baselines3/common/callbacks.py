"""Callbacks that count."""


class BaseCallback:
    def __init__(self, *args, **options):
        self.n_calls = self.num_timesteps = 0


class CheckpointCallback(BaseCallback):
    pass


class EvalCallback(BaseCallback):
    pass
