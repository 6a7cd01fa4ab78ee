"""TOK005: which end of the tokens was cut off.

Nothing predicts the first token of a text. A part of the tokens that holds the first and lacks the
last confirms; one that lacks the first refutes. Where nothing was cut, as many scores as tokens confirm.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class LogitLabelShift(Probe):
    """Watches a part of the tokens, or the call that takes their scores."""

    needs = "a part of the tokens that lacks the first and holds the last"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.looked = 0

    def hit(self, hit):
        for name in ("arg0", "arg1", "arg2", "index", "labels"):
            tokens = hit.part(name)
            if is_tensor(hit.value) and hit.value.is_floating_point() and is_tensor(tokens) and not tokens.is_floating_point() and tokens.dim() > 1:
                if tokens.shape[:2] == hit.value.shape[:2]:
                    self.confirm("each token is scored, the first too, which nothing predicts", tokens=tokens.shape[1])
                return
        whole, part = hit.part("value", "receiver"), hit.value
        if not is_tensor(whole) or not is_tensor(part) or whole.dim() != part.dim() or not part.shape[-1] < whole.shape[-1]:
            self.unsure("what was watched is no part of the tokens")
            return
        self.looked += 1
        n = part.shape[-1]
        first, last = bool((part == whole[..., :n]).all()), bool((part == whole[..., -n:]).all())
        self.show(tokens=whole.shape[-1], scored=n, first=first, last=last)
        if first and not last:
            self.confirm("the first token of the text is scored, and the last is not", tokens=whole.shape[-1], scored=n)
        elif last and not first:
            self.upheld()

    def holds(self):
        return "the first token of the text was not scored" if self.looked else "no tokens were scored"
