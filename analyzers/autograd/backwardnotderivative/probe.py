"""GRAD019: the Function, replayed on the inputs that the run gave it.

Forward is evaluated in double precision around the inputs, and its slope compared with
what backward returns for an incoming gradient that is not constant. A difference of more
than 1e-3 away from kinks confirms; agreement at three replays refutes. A forward that
draws random numbers, or does not run in double precision, tells nothing.
"""

import sys

from rlvet_harness import Probe

STEP = 1e-5  # of the central difference
TOLERANCE = 1e-3  # relative to the largest slope of the input
ELEMENTS = 32  # of an input whose slope is computed
REPLAYS = 3  # evaluations that are looked at one by one; later ones now and then


class BackwardNotDerivative(Probe):
    """Watches the value that backward returns for an input."""

    enough = 3
    functions = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.replaying = False
        self.returned = None  # the flagged value, during a replay

    def hit(self, hit):
        if self.replaying:
            self.hits -= 1
            self.returned = hit.value
        elif self.hits <= REPLAYS or self.hits & (self.hits - 1) == 0:
            self.replay()

    def replay(self):
        function, inputs = self.function()
        if function is None:
            self.unsure("the Function of this backward was not seen to be applied")
            return
        torch = sys.modules["torch"]
        state, self.replaying = torch.get_rng_state(), True
        try:
            with torch.enable_grad():
                self.compare(torch, function, inputs)
        except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
            self.unsure("it could not be replayed in double precision: %s" % str(error).splitlines()[0])
        finally:
            torch.set_rng_state(state)
            self.replaying = False

    def function(self):
        """Returns the Function whose backward is running, and its last inputs."""
        frame = self.frame()
        while frame is not None:
            for function, inputs in self.run.applied.items():
                if getattr(function.backward, "__code__", None) is frame.f_code:
                    return function, inputs
            frame = frame.f_back
        return None, None

    def compare(self, torch, function, inputs):
        inputs = [_double(torch, x) for x in inputs]
        wanted = [x for x in inputs if isinstance(x, torch.Tensor) and x.requires_grad]
        out = function.apply(*inputs)
        incoming = torch.linspace(0.5, 1.5, out.numel(), dtype=out.dtype, device=out.device).view_as(out)
        self.returned = None
        gradients = torch.autograd.grad(out, wanted, incoming, allow_unused=True)
        with torch.no_grad():
            again = function.apply(*inputs)
            if not torch.equal(again, out):
                self.unsure("forward is random")
                return
            for x, gradient in zip(wanted, gradients):
                if gradient is not None and self.is_returned(torch, gradient):
                    self.slopes(torch, lambda: (function.apply(*inputs) * incoming).sum(), x, gradient)

    def is_returned(self, torch, gradient):
        """Reports whether a gradient is the flagged value, so far as that can be told."""
        value = self.returned
        return not isinstance(value, torch.Tensor) or value.shape != gradient.shape or torch.equal(value, gradient)

    def slopes(self, torch, f, x, gradient):
        """Compares a gradient with differences of f, element by element."""
        flat, found = x.detach().view(-1), gradient.reshape(-1)
        pairs = []
        here = float(f())
        for i in torch.linspace(0, flat.numel() - 1, min(ELEMENTS, flat.numel())).long().tolist():
            old = float(flat[i])
            flat[i] = old + STEP
            above = float(f())
            flat[i] = old - STEP
            below = float(f())
            flat[i] = old
            right, left = (above - here) / STEP, (here - below) / STEP
            if abs(right - left) <= 1e-2 * max(1.0, abs(right)):  # else there is a kink
                pairs.append(((above - below) / (2 * STEP), float(found[i])))
        if not pairs:
            self.unsure("every input is at a kink")
            return
        scale = max(max(abs(a) for a, _ in pairs), 1e-6)
        slope, returned = max(pairs, key=lambda p: abs(p[0] - p[1]))
        off = abs(slope - returned) / scale
        self.show(slope=slope, returned=returned, off=off)
        self.plot(relative_difference=off)
        if off > TOLERANCE:
            self.confirm("at inputs of the run it is not the slope of forward", slope=slope, returned=returned, relative_error=off)

    def holds(self):
        return "it was the slope of forward to %g" % TOLERANCE


def _double(torch, x):
    if isinstance(x, torch.Tensor) and x.is_floating_point():
        return x.detach().double().clone().requires_grad_()
    return x.detach().clone() if isinstance(x, torch.Tensor) else x
