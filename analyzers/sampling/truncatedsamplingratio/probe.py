"""DIST016: compares the weights from which tokens are drawn with the model's logits.

Before each draw, measures the share of the full distribution held by the tokens that can be
drawn. It is the average ratio of full to truncated probabilities, which should be 1.
Confirmed if its mean is below 1 by more than 1e-3, else refuted.
"""

from rlvet_harness import Probe

LEAST = 20  # draws needed for a verdict
TOLERANCE = 1e-3


class TruncatedSamplingRatio(Probe):
    """Watches a call of `generate`, or the configuration of a trainer that makes such calls."""

    enough = 1
    needs = "20 draws of tokens with the scores of the model"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.hook = self.scores = self.last = None
        self.shares = []  # of the current call of generate
        self.trainer = None  # if a configuration is watched: the package of the trainer whose calls count
        self.draws, self.kept = 0, 0.0

    def generating(self, model):
        self.shares = []
        if hasattr(model, "register_forward_hook"):
            self.hook = model.register_forward_hook(self.scored)

    def scored(self, model, args, out):
        logits = getattr(out, "logits", out)
        self.scores = logits[:, -1].detach().float() if getattr(logits, "ndim", 0) == 3 else None

    def drawn(self, weights, how, dimension):
        """Checks weights from which tokens are about to be drawn."""
        if how in ("multinomial", "Categorical") and self.scores is not None and self.scores.shape == weights.shape:
            self.shares.append((self.scores.softmax(-1) * (weights > 0)).sum(-1))

    def generated(self, written):
        self.hook, hook = None, self.hook
        if hook is not None:
            hook.remove()
        self.last = written
        if written.asked_by == self.trainer:
            self.take()

    def hit(self, hit):
        if not hasattr(getattr(hit.value, "sequences", hit.value), "tolist"):
            self.trainer = type(hit.value).__module__.partition(".")[0]
        elif self.last is not None and self.last.out is hit.value:
            self.take()

    def take(self):
        """Counts the draws of the last call."""
        shares, self.shares, self.scores = self.shares, [], None
        if not shares:
            return
        shares = sum((s.tolist() for s in shares), [])
        self.draws, self.kept = self.draws + len(shares), self.kept + sum(shares)
        self.show(draws=len(shares), mean_ratio=sum(shares) / len(shares))
        self.plot(mean_ratio=sum(shares) / len(shares), ought=1.0)
        if self.draws >= LEAST and self.ratio() < 1 - TOLERANCE:
            self.confirm(
                "sampling was truncated: the average ratio of full to truncated probabilities is below 1",
                draws=self.draws, mean_ratio=self.ratio(),
            )
        else:
            self.upheld(self.draws >= LEAST)

    def ratio(self):
        return self.kept / self.draws

    def end(self):
        if self.draws < LEAST:
            self.unsure("only %d draws of tokens with their logits were seen" % self.draws)

    def holds(self):
        return "the average ratio of full to sampled probabilities was 1 to within 1e-3"
