"""Probes of networks that ought to be copies and may be the network in training."""

from .probe import Probe


class TrainedAlias(Probe):
    """Watches the network that is assigned: its parameters until the end of the run."""

    enough = 1
    what = "copy"  # what the network ought to be
    frozen = False  # whether nothing may change it

    def __init__(self, target, run):
        super().__init__(target, run)
        self.parameters = []  # with their first values

    def hit(self, hit):
        if hasattr(hit.value, "parameters"):
            self.parameters = [(p, p.detach().clone()) for p in hit.value.parameters()]

    def end(self):
        shared = [(p, before) for p, before in self.parameters if self.run.owns(p)]
        changed = sum(not bool((p.detach().to(before.device) == before).all()) for p, before in shared)
        self.show(parameters=len(self.parameters), of_an_optimizer=len(shared), changed=changed)
        if changed:
            self.confirm(
                "the optimizer changed %d of %d parameters of the %s" % (changed, len(self.parameters), self.what),
                steps=self.run.steps,
            )
        elif shared or not self.parameters or not self.run.steps:
            self.unsure("no optimizer step was observed that could change the %s" % self.what)
        elif not self.frozen or all(bool((p.detach().to(before.device) == before).all()) for p, before in self.parameters):
            self.upheld(self.enough)

    def holds(self):
        return "no parameter of the %s belongs to an optimizer" % self.what
