"""ENV017: how many values step returned."""

from rlvet_harness import Probe


class StepReturnsFour(Probe):
    """Watches the tuple that step returns."""

    enough = 1
    needs = "a step that returns a tuple of five"

    def hit(self, hit):
        if isinstance(hit.value, tuple) and len(hit.value) != 5:
            self.confirm("step returned %d values" % len(hit.value))
        else:
            self.upheld(isinstance(hit.value, tuple))

    def holds(self):
        return "step returned five values"
