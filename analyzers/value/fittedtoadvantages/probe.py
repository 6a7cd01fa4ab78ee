"""VAL095: whether a critic's targets average to zero.

Confirmed if the mean of what the critic is fitted to is small beside its spread, as that of advantages that were normalised. Else it is refuted.
"""

from rlvet_harness import Probe

SMALL = 0.05


class FittedToAdvantages(Probe):
    """Watches the error of the critic."""

    deep = True
    enough = 3
    needs = "targets without gradients, more than two at once"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.centred = self.other = 0

    def hit(self, hit):
        sides = [hit.part("arg0", "left_left"), hit.part("arg1", "left_right")]
        targets = [x for x in sides if hasattr(x, "shape") and x.numel() > 2 and not x.requires_grad]
        for x in targets:
            if float(x.mean().abs()) <= SMALL * float(x.std()):
                self.centred += 1
            else:
                self.other += 1
                self.upheld()
        if self.centred >= self.enough and not self.other:
            self.confirm("what the critic is fitted to averages to zero", times=self.centred)

    def holds(self):
        return "what the critic is fitted to did not average to zero"
