"""OFF061: whether the collector was told to take new weights after a step of an optimizer: before, they are those that it has."""

from rlvet_harness import Probe


class WorkersKeepOldPolicy(Probe):
    """Counts the updates of the collector's policy."""

    enough = 1
    needs = "an update of the collector's policy after a step of an optimizer"
    collector, updates, early = None, 0, 0

    def hit(self, hit):
        self.collector = hit.value
        own = self.collector.update_policy_weights_

        def update(*args, **kwargs):
            self.updates += self.run.steps > 0
            self.early += not self.run.steps
            return own(*args, **kwargs)

        self.collector.update_policy_weights_ = update

    def end(self):
        if self.early and not self.updates:
            self.unsure("the collector was told of new weights before the first step of an optimizer alone: run longer")
        elif self.collector is not None and self.run.steps and not self.updates:
            self.confirm("%d steps of the optimizer, and no update of the collector's policy" % self.run.steps)
        self.upheld(self.updates)

    def holds(self):
        return "the collector was told of new weights"
