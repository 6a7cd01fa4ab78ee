"""LOOP061: whether a later call of learn begins at step 0 again."""

from rlvet_harness import Probe


class LearnRestartsCounters(Probe):
    """Compares the steps of the model behind each call."""

    enough = 2
    before = None

    def hit(self, hit):
        now = hit.value.num_timesteps
        if self.before is not None and now <= self.before:
            self.confirm("after another call the model counts %d steps, as after the one before" % now)
        self.before = now

    def holds(self):
        return "steps were counted on"
