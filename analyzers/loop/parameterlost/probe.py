"""LOOP032: whether what a module is given is a parameter. A tensor that is computed from one confirms."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class ParameterLost(Probe):
    """Watches the expression that is assigned."""

    enough = 1
    needs = "a parameter"

    def hit(self, hit):
        torch = __import__("torch")
        if not is_tensor(hit.value):
            self.unsure("what is assigned is no tensor")
        elif not isinstance(hit.value, torch.nn.Parameter):
            self.confirm("what is assigned is no parameter")
        else:
            self.upheld()

    def holds(self):
        return "what is assigned is a parameter"
