"""DIST012: compares the values before and after the activation.

Confirmed if a negative value became 0 and the result is used unchanged as logits (by a
softmax or a Categorical), as action values (by max or gather), or with a small constant as the width of a Normal: the value
is lost, and its gradient with it. Refuted if no value is ever negative: the activation then changes nothing.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.observe import is_tensor
from rlvet_harness.trace import same_memory

TAKEN = ("softmax", "log_softmax", "logits", "max", "amax", "gather")


class ReluOnHead(Probe):
    """Watches a ReLU on the last layer of a network."""

    needs = "values before and after the activation"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.cut = self.seen = 0
        self.last = None  # the last result in which values were lost, how many, and the values before

    def hit(self, hit):
        if hasattr(hit.value, "register_forward_hook"):
            hit.value.register_forward_hook(lambda module, given, out: self.guarded(self.look, given[0], out))
            return
        self.look(hit.argument(0, "input"), hit.value)

    def look(self, before, after):
        if not is_tensor(before) or not is_tensor(after) or before.shape != after.shape:
            return
        self.seen += 1
        scores = numbers(before)
        self.show(before=scores.brief(), after=numbers(after).brief())
        self.plot(smallest_score=scores.low)
        lost = int(((before < 0) & (after == 0)).sum())
        self.cut += lost
        self.last = (after, lost, scores) if lost else None
        self.upheld(not lost)

    def drawn(self, tensor, how, dimension):
        """Checks a tensor that is used as logits or as action values."""
        if self.last is None or how not in TAKEN or not same_memory(tensor, self.last[0]):
            return
        values = how in ("max", "amax", "gather")
        # A maximum over another dimension than that of the actions pools features.
        if not values or dimension in (-1, tensor.dim() - 1):
            what = "action values" if values else "logits"
            self.confirm("negative values became 0 before they were used as %s" % what, before=self.last[2].brief(), lost=self.last[1], of=self.last[2].count)

    def imported(self, torch):
        normal = torch.distributions.Normal
        init = normal.__init__

        def init_and_look(distribution, loc, scale, *rest, **named):
            init(distribution, loc, scale, *rest, **named)
            self.guarded(self.width, scale)

        normal.__init__ = init_and_look

    def width(self, scale):
        """Checks a width: where values were lost, it is the constant that was added."""
        after = self.last and self.last[0]
        if not is_tensor(after) or not is_tensor(scale) or scale.shape != after.shape:
            return
        added = (scale - after).detach()
        least = float(added.min())
        if 0 <= least < 0.1 and float(added.max()) - least < 1e-4:
            self.confirm("where its input is negative, the width of the policy is a constant", width=least, lost=self.last[1], of=self.last[2].count)

    def end(self):
        if self.seen == 0:
            self.unsure("no values were seen before and after the activation")
        elif self.cut:
            self.unsure("negative values became 0, but their use was not seen")

    def holds(self):
        return "no value was negative before the activation"
