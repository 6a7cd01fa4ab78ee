"""OFF018: whether the clamp changes actions.

It confirms if an action is another one behind the clamp.
"""

from rlvet_harness import Probe


class LogprobOfUnclampedAction(Probe):
    """Watches the clamp."""

    needs = "actions before and behind the clamp"

    def hit(self, hit):
        before = hit.argument(0, "input", "a")
        if not hasattr(before, "shape") or not hasattr(hit.value, "shape") or before.shape != hit.value.shape:
            self.unsure("the action before the clamp was not seen")
            return
        changed = int((before != hit.value).sum())
        if changed:
            self.confirm("the clamp changed actions whose log-probability is kept", actions=changed)
        else:
            self.upheld()

    def holds(self):
        return "the clamp changed no action"
