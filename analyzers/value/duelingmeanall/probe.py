"""VAL020: what the mean of the advantages is over.

More than one row and more than one action in a mean that keeps neither confirm; a mean that keeps the rows refutes.
"""

from rlvet_harness import Probe


class DuelingMeanAll(Probe):
    """Watches the mean of the advantages."""

    needs = "several rows of several advantages"

    def hit(self, hit):
        x = hit.argument(0, "input")
        shape = tuple(getattr(x, "shape", ()))
        self.show(advantages=shape)
        if len(shape) == 2 and min(shape) > 1 and tuple(hit.value.shape) != (shape[0], 1):
            self.confirm("the mean is over %d rows" % shape[0], advantages=shape)
        else:
            self.upheld(len(shape) == 2 and min(shape) > 1)

    def holds(self):
        return "each mean was over the actions of one row"
