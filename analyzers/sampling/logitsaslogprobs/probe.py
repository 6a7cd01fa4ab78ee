"""DIST060: whether what stands for a log-probability is the logarithm of the probability beside it."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class LogitsAsLogProbs(Probe):
    """Watches the product."""

    needs = "a probability beside what stands for its logarithm"

    deep = True

    def hit(self, hit):
        sides = [hit.part("left", "arg0", "receiver"), hit.part("right", "arg1", "arg0")]
        probs = next((i for i, x in enumerate(sides) if is_tensor(x) and is_probs(x)), None)
        if probs is None:
            self.unsure("neither factor is a probability")
            return
        name = "right" if probs == 0 else "left"
        logs = hit.part("%s_left" % name)
        if not is_tensor(logs):
            logs = sides[1 - probs]
        if not is_tensor(logs) or logs.shape != sides[probs].shape:
            self.unsure("what stands for the log-probabilities was not seen")
            return
        known = sides[probs].detach().double()
        gap = float((known.clamp_min(1e-12).log() - logs.detach().double())[known > 1e-6].abs().max())
        self.show(largest_gap=gap)
        if gap > 0.01:
            self.confirm("it differs from the logarithm of the probability by up to %.3g" % gap, gap=gap)
        else:
            self.upheld()

    def holds(self):
        return "it was the logarithm of the probability"


def is_probs(x):
    """Whether the rows of a tensor are probabilities."""
    if not x.is_floating_point() or x.dim() == 0 or bool((x < 0).any()):
        return False
    return bool(((x.detach().sum(-1) - 1).abs() < 1e-3).all())
