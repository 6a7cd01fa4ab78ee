"""TOK041: whether what is passed as a mask has numbers other than 0 and 1."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class QuantityAsMask(Probe):
    """Watches what is passed as a mask."""

    needs = "zeros and ones, both"

    def hit(self, hit):
        x = hit.value
        if not is_tensor(x) or not x.numel():
            self.unsure("what is passed as a mask is no tensor")
            return
        x = x.detach().double()
        other = int(((x != 0) & (x != 1)).sum())
        if other:
            self.confirm("what is passed as a mask has numbers other than 0 and 1", numbers=other)
        elif bool((x == 0).any()) and bool((x == 1).any()):
            self.upheld()

    def holds(self):
        return "what is passed as a mask has only zeros and ones"
