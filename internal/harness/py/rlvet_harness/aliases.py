"""Probes of networks that ought to be copies and may be the network in training."""

from .observe import same_numbers
from .probe import Probe


class TrainedAlias(Probe):
    """Watches the networks that are assigned: their parameters until the end of the run."""

    enough = 1
    what = "copy"  # what the network ought to be
    frozen = False  # whether nothing may change it

    def __init__(self, target, run):
        super().__init__(target, run)
        self.parameters = []  # with their first values

    def hit(self, hit):
        if hasattr(hit.value, "parameters"):
            kept = [(p, before) for p, before in self.parameters if self.run.owns(p)]  # of what was assigned before
            known = {id(p) for p, _ in kept}
            new = [(p, p.detach().clone()) for p in hit.value.parameters() if id(p) not in known]
            self.parameters = kept + new
            for p, _ in new:
                self.run.descent.keep(self, p)

    def end(self):
        shared = [(p, before) for p, before in self.parameters if self.run.owns(p)]
        changed = sum(not same_numbers(p, before) for p, before in shared)
        by_hand = self.run.descent.by_hand(self, [p for p, _ in self.parameters])
        self.show(parameters=len(self.parameters), of_an_optimizer=len(shared), changed=changed)
        if changed:
            self.confirm(
                "the optimizer changed %d of %d parameters of the %s" % (changed, len(self.parameters), self.what),
                steps=self.run.steps,
            )
        elif by_hand:
            self.confirm("the program changed parameters of the %s along their gradients" % self.what, steps=self.run.steps)
        elif by_hand is None:
            self.unsure("the %s is changed without an optimizer, in a way that the probe does not know" % self.what)
        elif shared or not self.parameters or not self.run.steps:
            self.unsure("no optimizer step was observed that could change the %s" % self.what)
        elif not self.frozen or all(same_numbers(p, before) for p, before in self.parameters):
            self.upheld(self.enough)

    def holds(self):
        return "no parameter of the %s belongs to an optimizer" % self.what
