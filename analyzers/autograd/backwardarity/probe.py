"""GRAD006: the number of returned gradients.

PyTorch raises an error if there are fewer gradients than inputs, or if an extra one is not
None. Five returns with the right number refute.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import context


class BackwardArity(Probe):
    """Watches the return value of backward."""

    enough = 5
    needs = "a backward that autograd runs, whose inputs it knows"

    def hit(self, hit):
        inputs = inputs_of(self.frame())
        if inputs is None:
            self.unsure("it was returned by no backward that autograd ran")
            return
        grads = hit.value if isinstance(hit.value, tuple) else (hit.value,)
        self.show(gradients=len(grads), inputs=len(inputs))
        if len(grads) < len(inputs) or any(g is not None for g in grads[len(inputs):]):
            self.confirm("%d gradients for %d inputs" % (len(grads), len(inputs)), gradients=len(grads), inputs=len(inputs))
        else:
            self.upheld()

    def holds(self):
        return "there was one gradient per input"


def inputs_of(frame):
    """Returns what the backward of a frame owes gradients to: an item for each input, None where it is no backward."""
    ctx = context(frame) if frame is not None and frame.f_code.co_name == "backward" else None
    return getattr(ctx, "needs_input_grad", None)
