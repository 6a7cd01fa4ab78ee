"""ENV030: whether training steps an environment on in which somebody else played since.

The environment's own reset and step are wrapped when the flagged step is seen first. It confirms if between two of the
flagged steps others stepped the environment, and nobody reset it after them. A reset after them refutes, and so do steps of another environment.
"""

from rlvet_harness import Probe
from rlvet_harness.joins import wrap


class EvaluatedInTrainingEnv(Probe):
    """Watches the step of training."""

    enough = 3
    needs = "others that step the environment and a reset behind them, or that step another environment of its class or of gym.make"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.env = None
        self.calls = []  # of the environment since the last flagged step, that one included
        self.steps = 0  # of all environments of gym.make, at the last flagged step
        self.inside = False  # whether a step of the environment itself is under way
        self.inner = 0  # steps that passed it by, and went to what it is made around
        self.others = 0  # steps of others of its class

    def hit(self, hit):
        env = hit.part("receiver", "receiver_value")
        if self.hits <= 1 and not self.wrap(env):
            self.unsure("the calls of the environment cannot be counted")
        elif env is not self.env:
            self.unsure("several environments are stepped there")
        between = self.calls[:-1]
        self.calls = []
        steps, self.steps = self.run.environment_steps - self.steps, self.run.environment_steps
        elsewhere = self.hits > 1 and not self.inner and "step" not in between and (steps > 1 or self.others > 0)
        self.upheld(elsewhere or "step" in between and between[-1] == "reset")
        self.inner = self.others = 0
        if "step" in between and between[-1] == "step":
            self.confirm("others stepped the environment %d times, and training went on" % between.count("step"))

    def wrap(self, env):
        """Counts the calls of an environment; False where it has no room for that."""
        self.env, inner = env, getattr(env, "unwrapped", env)
        try:
            for name in ("reset", "step"):
                setattr(env, name, self.counted(getattr(env, name), name))
            if inner is not env:
                wrap(inner, "step", lambda args, out: self.passed())
            wrap(type(env), "step", lambda args, out: self.other(args[0] is not env))
        except AttributeError:
            return False
        return True

    def passed(self):
        self.inner += not self.inside

    def other(self, another):
        self.others += another

    def counted(self, method, name):
        """Returns the method, noting each call."""

        def call(*args, **kwargs):
            self.calls.append(name)
            self.inside = True
            try:
                return method(*args, **kwargs)
            finally:
                self.inside = False

        return call

    def holds(self):
        return "between two steps of training nobody else stepped the environment, or it was reset"

