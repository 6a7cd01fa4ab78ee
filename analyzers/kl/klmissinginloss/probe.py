"""KL016: the output of the reference, and a second run in which it is something else.

The program runs again under the same seed and goes on with other numbers wherever the
flagged expression is evaluated. The same losses and trained parameters, bit for bit,
confirm: neither loss nor reward depends on the reference. Different ones refute, if a
third, unchanged run equals the first.
"""

from rlvet_harness import Probe, numbers


class KLMissingInLoss(Probe):
    """Watches the output of the reference, or the KL computed from it."""

    needs = "a second run with other numbers here that came to other losses or parameters"
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
                "a second run with other numbers here gave bit-identical losses and parameters",
                losses=len(self.run.losses), steps=self.run.steps, evaluations=self.hits,
            )
        elif self.depends:
            self.upheld()
        elif self.depends is None:
            self.unsure("no second run was made because this one did not end by itself")

    def holds(self):
        return "a second run with other numbers here gave different losses or parameters"
