"""LOOP008: whether an optimizer holds a parameter twice."""

from rlvet_harness import Probe
from rlvet_harness.observe import parameters_of


class DuplicateParams(Probe):
    """Watches the call that makes the optimizer."""

    enough = 1
    needs = "an optimizer with parameters"

    def hit(self, hit):
        held = [id(p) for p in parameters_of(hit.value)] if hasattr(hit.value, "param_groups") else []
        twice = len(held) - len(set(held))
        if not held:
            self.unsure("what was made is no optimizer")
        elif twice:
            self.confirm("%d parameters are held twice" % twice, parameters=len(held))
        else:
            self.upheld()

    def failed(self, error):
        return "torch refuses parameters that are given twice" if "more than one parameter group" in str(error) else None

    def holds(self):
        return "each parameter is held once"
