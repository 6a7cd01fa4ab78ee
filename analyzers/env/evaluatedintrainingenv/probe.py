"""ENV030: whether training steps an environment on in which somebody else played since.

The environment's own reset and step are wrapped when the flagged step is seen first. It confirms if between two of the
flagged steps others stepped the environment, and nobody reset it after them.
"""

from rlvet_harness import Probe


class EvaluatedInTrainingEnv(Probe):
    """Watches the step of training."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.calls = []  # of the environment since the last flagged step, that one included

    def hit(self, hit):
        env = hit.part("receiver", "receiver_value")
        if self.hits <= 1 and not self.wrap(env):
            self.unsure("the calls of the environment cannot be counted")
        between = self.calls[:-1]
        self.calls = []
        if "step" in between and between[-1] == "step":
            self.confirm("others stepped the environment %d times, and training went on" % between.count("step"))

    def wrap(self, env):
        """Counts the calls of an environment; False where it has no room for that."""
        for name in ("reset", "step"):
            try:
                setattr(env, name, counted(getattr(env, name), name, self.calls_add))
            except AttributeError:
                return False
        return True

    def calls_add(self, name):
        self.calls.append(name)

    def holds(self):
        return "between two steps of training nobody else stepped the environment, or it was reset"


def counted(method, name, note):
    """Returns the method, noting each call."""

    def call(*args, **kwargs):
        note(name)
        return method(*args, **kwargs)

    return call
