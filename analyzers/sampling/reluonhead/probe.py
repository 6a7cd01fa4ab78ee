"""DIST012: the scores before and after the activation.

A negative score that became 0, where the result is taken as it is for logits (by a softmax
or a Categorical) or for action values (by max or gather), confirms: the score is lost, and
its gradient with it. Where no score is ever negative, the activation changes nothing, and
the finding is refuted.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.observe import is_tensor
from rlvet_harness.trace import same_memory

TAKEN = ("softmax", "log_softmax", "logits", "max", "amax", "gather")


class ReluOnHead(Probe):
    """Watches a ReLU on the last layer of a network."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.cut = self.seen = 0
        self.last = None  # the result of the last evaluation in which scores were lost, and how many

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

    def drawn(self, tensor, how, dimension):
        """Looks at a tensor that is taken for logits or for values of actions."""
        if self.last is None or how not in TAKEN or not same_memory(tensor, self.last[0]):
            return
        values = how in ("max", "amax", "gather")
        # Over other dimensions than that of the actions, a maximum pools features.
        if not values or dimension in (-1, tensor.dim() - 1):
            what = "action values" if values else "logits"
            self.confirm("negative scores became 0 before they were taken for %s" % what, before=self.last[2].brief(), lost=self.last[1], of=self.last[2].count)

    def end(self):
        if self.seen == 0:
            self.unsure("no scores were seen before and after an activation")
        elif self.cut:
            self.unsure("negative scores became 0, and what is made of them was not seen")

    def holds(self):
        return "no score was negative before the activation"
