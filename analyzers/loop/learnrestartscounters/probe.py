"""LOOP061: whether a later call of learn begins at step 0 again."""

from rlvet_harness import Probe


class LearnRestartsCounters(Probe):
    """Compares the steps of the model behind each call."""

    enough = 1
    needs = "two calls of one model"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.models = {}  # by identity: the model, and its steps behind the last call

    def hit(self, hit):
        now = hit.value.num_timesteps
        _, before = self.models.get(id(hit.value), (None, None))
        if before is not None and now <= before:
            self.confirm("after another call the model counts %d steps, as after the one before" % now)
        self.upheld(before is not None and now > before)
        self.models[id(hit.value)] = hit.value, now

    def holds(self):
        return "steps were counted on"
