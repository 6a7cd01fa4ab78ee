"""GRAD006: the gradients that are returned, which are counted.

torch takes fewer than it gave forward inputs for an error, and more where one of those
too many is not None. Five returns of the right number refute.
"""

from rlvet_harness import Probe


class BackwardArity(Probe):
    """Watches what backward returns."""

    enough = 5
    functions = True

    def hit(self, hit):
        inputs = self.inputs()
        if inputs is None:
            self.unsure("the Function of this backward was not seen to be applied")
            return
        grads = hit.value if isinstance(hit.value, tuple) else (hit.value,)
        self.show(gradients=len(grads), inputs=len(inputs))
        if len(grads) < len(inputs) or any(g is not None for g in grads[len(inputs):]):
            self.confirm("the numbers differ: %d for %d" % (len(grads), len(inputs)), gradients=len(grads), inputs=len(inputs))

    def inputs(self):
        """Returns what the Function whose backward is running was last applied to."""
        frame = self.frame()
        while frame is not None:
            for function, inputs in self.run.applied.items():
                if getattr(function.backward, "__code__", None) is frame.f_code:
                    return inputs
            frame = frame.f_back
        return None

    def holds(self):
        return "there was a gradient for each input"
