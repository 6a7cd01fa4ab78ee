"""OFF061: whether the collector was ever told to take new weights."""

from rlvet_harness import Probe


class WorkersKeepOldPolicy(Probe):
    """Counts the updates of the collector's policy."""

    enough = 1
    needs = "an update of the collector's policy"
    collector, updates = None, 0

    def hit(self, hit):
        self.collector = hit.value
        own = self.collector.update_policy_weights_

        def update(*args, **kwargs):
            self.updates += 1
            return own(*args, **kwargs)

        self.collector.update_policy_weights_ = update

    def end(self):
        if self.collector is not None and self.run.steps and not self.updates:
            self.confirm("%d steps of the optimizer, and no update of the collector's policy" % self.run.steps)
        self.upheld(self.updates)

    def holds(self):
        return "the collector was told of new weights"
