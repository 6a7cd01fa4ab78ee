"""OFF020: the action that is scored, and those of the batch.

It confirms if no variable of the function that is not the action itself holds the same numbers,
though another of its shape and type is there: the action was drawn anew. One that equals it
refutes.
"""

from rlvet_harness import Probe


class RatioOfResampledAction(Probe):
    """Watches the log-probability."""

    enough = 1

    def hit(self, hit):
        action = hit.part("arg0", "value")
        if not hasattr(action, "shape"):
            self.unsure("the action was not seen")
            return
        others = [
            v for v in list(self.frame().f_locals.values())
            if v is not action and hasattr(v, "shape") and v.shape == action.shape and v.dtype == action.dtype
        ]
        names = sum(v is action for v in self.frame().f_locals.values())
        if any(bool((v == action).all()) for v in others) or not others and names:
            return
        if others:
            self.confirm("the action that is scored is none of the batch", actions=int(action.numel()))
        else:
            self.unsure("no other action was seen")

    def holds(self):
        return "the action was that of the batch"
