"""KL009: the parameters of the reference.

It confirms if an optimizer of the program changes a parameter of the reference: the
reference is trained along. If there were optimizer steps and none did, it refutes.
"""

from rlvet_harness import Probe


class RefAliasesPolicy(Probe):
    """Watches the value assigned as the reference."""

    enough = 1

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
                "the optimizer changed %d of %d parameters of the reference" % (changed, len(self.parameters)),
                steps=self.run.steps,
            )
        elif shared or not self.parameters or not self.run.steps:
            self.unsure("no optimizer step was observed that could change the reference")

    def holds(self):
        return "no parameter of the reference belongs to an optimizer"
