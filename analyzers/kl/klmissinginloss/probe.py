"""KL016: what the reference yields, and a second run in which it yields something else.

The program runs again under the same seed and goes on with other numbers wherever the
flagged expression is evaluated. The same losses and the same trained parameters, to the
bit, confirm: neither loss nor reward depends on the reference. Others refute, if a third,
unchanged run is like the first.
"""

from rlvet_harness import Probe, numbers


class KLMissingInLoss(Probe):
    """Watches the reference's output, or the KL that is made of it."""

    twin = True
    enough = 1

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is not None:
            self.show(value=seen.brief())
            self.plot(mean_value=seen.mean)

    def end(self):
        if self.depends is False:
            self.confirm(
                "a second run with other numbers here came to the same losses and parameters, to the bit",
                losses=len(self.run.losses), steps=self.run.steps, evaluations=self.hits,
            )
        elif self.depends is None:
            self.unsure("no second run was made, since this one did not end by itself")

    def holds(self):
        return "a second run with other numbers here came to other losses or parameters"
