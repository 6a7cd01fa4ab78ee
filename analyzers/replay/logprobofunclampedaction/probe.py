"""OFF018: whether the clamp changes actions.

It confirms if an action is another one behind the clamp. Where the log-probability is flagged that is taken of the clamp, it confirms if a variable of the
function holds the action with elements beyond those that are scored, and else says nothing.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class LogprobOfUnclampedAction(Probe):
    """Watches the clamp, or what is asked of it."""

    needs = "actions before and behind the clamp"

    def hit(self, hit):
        if hasattr(hit.parts.get("receiver"), "log_prob"):
            self.scored(hit.part("arg0", "value"))
            return
        before = hit.argument(0, "input", "a")
        if not hasattr(before, "shape") or not hasattr(hit.value, "shape") or before.shape != hit.value.shape:
            self.unsure("the action before the clamp was not seen")
            return
        changed = int((before != hit.value).sum())
        if changed:
            self.confirm("the clamp changed actions whose log-probability is kept", actions=changed)
        else:
            self.upheld()

    def scored(self, action):
        for v in list(self.frame().f_locals.values()):
            if is_tensor(v) and is_tensor(action) and v.shape == action.shape and v.dtype == action.dtype and 0 < int((v != action).sum()) < v.numel():
                if bool((v.clamp(action.min(), action.max()) == action).all()):
                    self.confirm("the log-probability is of the clamp of an action", changed=int((v != action).sum()))
                    return
        self.unsure("the action before the clamp was not seen")

    def holds(self):
        return "the clamp changed no action"
