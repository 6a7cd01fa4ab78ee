"""GRAD006: the number of returned gradients.

PyTorch raises an error if there are fewer gradients than inputs, or if an extra one is not
None. Five returns with the right number refute.
"""

from rlvet_harness import Probe


class BackwardArity(Probe):
    """Watches the return value of backward."""

    enough = 5
    functions = True

    def hit(self, hit):
        inputs = self.inputs()
        if inputs is None:
            self.unsure("no call of `apply` of this Function was observed")
            return
        grads = hit.value if isinstance(hit.value, tuple) else (hit.value,)
        self.show(gradients=len(grads), inputs=len(inputs))
        if len(grads) < len(inputs) or any(g is not None for g in grads[len(inputs):]):
            self.confirm("%d gradients for %d inputs" % (len(grads), len(inputs)), gradients=len(grads), inputs=len(inputs))

    def inputs(self):
        """Returns the last inputs of the Function whose backward is running."""
        frame = self.frame()
        while frame is not None:
            for function, inputs in self.run.applied.items():
                if getattr(function.backward, "__code__", None) is frame.f_code:
                    return inputs
            frame = frame.f_back
        return None

    def holds(self):
        return "there was one gradient per input"
