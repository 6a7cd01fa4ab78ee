"""OFF050: whether targets lie outside of what the last activation can yield.

It watches what the activation yields, and the sides of squared and absolute errors. A target above all that the
activation can yield, or below it, confirms where both have the same size.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.observe import is_tensor

BOUNDS = {"tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "relu": (0.0, float("inf")), "logsigmoid": (float("-inf"), 0.0), "log_softmax": (float("-inf"), 0.0)}


class ValueHeadBounded(Probe):
    """Watches the activation, and what losses compare."""

    enough = 3
    needs = "an error of what the activation yields, against targets without gradients"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.bounds = next((b for name, b in sorted(BOUNDS.items(), key=lambda i: -len(i[0])) if name in target["text"].lower()), None)
        self.losses, self.yielded = 0, []

    def imported(self, torch):
        functional = torch.nn.functional
        for name in ("mse_loss", "smooth_l1_loss", "l1_loss", "huber_loss"):
            setattr(functional, name, self.comparing(getattr(functional, name)))
        for name in ("sub", "__sub__"):
            setattr(torch.Tensor, name, self.comparing(getattr(torch.Tensor, name)))

    def comparing(self, function):
        def call(a, b, *args, **kwargs):
            self.guarded(self.look, a, b)
            return function(a, b, *args, **kwargs)

        return call

    def hit(self, hit):
        if not is_tensor(hit.value) and hasattr(hit.value, "register_forward_hook"):
            hit.value.register_forward_hook(lambda module, given, out: self.guarded(self.saw, out))
        else:
            self.saw(hit.value)

    def saw(self, out):
        if is_tensor(out):
            self.yielded = [out, *self.yielded[:3]]

    def look(self, a, b):
        for value, target in ((a, b), (b, a)):
            if not is_tensor(value) or not is_tensor(target) or value.shape != target.shape or target.requires_grad or not value.requires_grad:
                continue
            if not any(of(value, out) for out in self.yielded) or self.bounds is None:
                continue
            seen = numbers(target)
            self.losses += 1
            self.show(target=seen.brief())
            if seen.high > self.bounds[1] + 1e-3 or seen.low < self.bounds[0] - 1e-3:
                self.confirm("targets lie outside of what the activation can yield", targets=seen.brief())
            else:
                self.upheld()

    def end(self):
        if not self.losses:
            self.unsure("no error was taken of the activation's output")

    def holds(self):
        return "all targets lay within what the activation can yield"


def of(value, out):
    """Whether a tensor was made of another, by views and by taking entries."""
    at, want = value.grad_fn, out.grad_fn
    for _ in range(8):
        if at is None or want is None:
            return False
        if at is want:
            return True
        name = type(at).__name__
        if not any(word in name for word in ("Gather", "Squeeze", "View", "Max", "Index", "Select", "Clone", "Slice")):
            return False
        at = at.next_functions[0][0] if at.next_functions else None
    return False
