"""Probes of values that should be constants of a loss."""

from .observe import owned_leaf
from .probe import Probe

MOST = 64  # values that are followed


class CarriesGradient(Probe):
    """Watches a value that should carry no gradient to what an optimizer trains.

    It is confirmed where a parameter of an optimizer can be reached from the value and
    where a backward brings the value a gradient that is not zero. A value that needs no
    gradient, or that reaches parameters only that no optimizer owns, refutes.
    """

    enough = 5
    confirmed_as = "it carries gradients to parameters that are trained, and a backward brings it one"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.waiting = False  # whether a value with gradients has not been reached yet
        self.unowned = False
        self.carried = 0

    def hit(self, hit):
        value = hit.value
        if not getattr(value, "requires_grad", False):
            return
        self.waiting = True
        if self.confirmed is None and self.carried < MOST:
            self.carried += 1
            owned = owned_leaf(value, self.run.owned)
            self.at_backward(value, lambda gradient: self.reached(owned, gradient))

    def reached(self, owned, gradient):
        largest = float(gradient.abs().max()) if gradient.numel() else 0.0
        self.plot(largest)
        self.show(gradient=largest, reaches_what_is_trained=owned)
        self.waiting = False
        if not owned:
            self.unowned = True
        elif largest > 0:
            self.confirm(self.confirmed_as, largest_gradient=largest)

    def end(self):
        if self.waiting:
            self.unsure("it carries gradients, and no backward reached it")

    def holds(self):
        if self.unowned:
            return "it carried gradients to parameters only that no optimizer changes"
        return "it carried no gradients"
