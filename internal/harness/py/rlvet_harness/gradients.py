"""Probes of what gradients flow through: values that should be constants of a loss, and
objectives that should not."""

from .graph import leaves
from .observe import numbers, owned_leaf
from .probe import Probe

MOST = 64  # values that are followed


class CarriesGradient(Probe):
    """Watches a value that should carry no gradient to what an optimizer trains.

    It is confirmed where a parameter of an optimizer can be reached from the value and
    where a backward brings the value a gradient that is not zero. A value that needs no
    gradient, or that reaches parameters only that nothing changes, refutes; parameters may be changed by hand.
    """

    enough = 5
    confirmed_as = "it carries gradients to parameters that are trained, and a backward brings it one"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.waiting = False  # whether a value with gradients has not been reached yet
        self.unowned = 0
        self.others = {}  # the parameters behind it that no optimizer owned
        self.largest = 0.0  # of the gradients that it brought them
        self.carried = 0

    def hit(self, hit):
        found = with_gradient(hit.value)
        if not found:
            seen = numbers(hit.value)
            self.upheld(seen is not None and seen.count > 0)
            return
        self.waiting = True
        if self.confirmed is None and self.carried < MOST:
            self.carried += 1
            for value in found:
                self.follow(value, owned_leaf(value, self.run.owned))

    def follow(self, value, owned):
        behind = [] if owned else [value] if value.grad_fn is None else list(leaves(value.grad_fn))
        self.at_backward(value, lambda gradient: self.reached(owned, gradient, behind))

    def reached(self, owned, gradient, behind=()):
        largest = float(gradient.abs().max()) if gradient.numel() else 0.0
        self.plot(largest)
        self.show(gradient=largest, reaches_what_is_trained=owned)
        self.waiting = False
        if not owned:
            self.unowned += bool(self.run.owned)
            for p in behind:
                self.others[id(p)] = p
                self.run.descent.keep(self, p)
            self.largest = max(self.largest, largest)
        elif largest > 0:
            self.confirm(self.confirmed_as, largest_gradient=largest)

    def end(self):
        if self.waiting:
            self.unsure("it carries gradients, and no backward reached it")
        by_hand = self.run.descent.by_hand(self, self.others.values())
        if by_hand and self.largest > 0:
            self.confirm(self.confirmed_as, largest_gradient=self.largest)
        elif any(self.run.owns(p) for p in self.others.values()) or by_hand is not False:
            self.unsure("it carries gradients to parameters that are changed, in a way that the probe does not know")
        else:
            self.upheld(self.unowned)

    def holds(self):
        if self.unowned:
            return "it carried gradients to parameters only that nothing trains"
        return "it carried no gradients"


class CutOff(Probe):
    """Watches a value that should hand gradients on to what it was made of.

    The parameters behind what was cut off are followed to the next backward: where it
    brings none of them a gradient, or is called on a loss that carries none, that
    confirms. So do parameters of an optimizer that no backward brings a gradient to the end of the run, where others,
    of a shared trunk, get theirs by another way. A value that carries gradients refutes. Where all parameters get
    gradients by another way the run does not tell.
    """

    enough = 3
    confirmed_as = "a backward brought no gradient to any of the parameters behind it"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.cut = 0
        self.gradless = None  # losses without gradient before the first cut
        self.behind = {}  # the parameters behind it, where some get gradients by another way
        self.reached = set()  # those of them that got one

    def hit(self, hit):
        if getattr(hit.value, "requires_grad", False) and hit.value.grad_fn is not None:
            self.upheld()
            return
        behind = [x for part in hit.parts.values() for x in with_gradient(part)]
        if not behind:
            self.unsure("there was no gradient to cut off")
            return
        self.cut += 1
        if self.gradless is None:
            self.gradless = self.run.gradless
        if self.confirmed is None and self.cut <= MOST:
            self.follow({id(leaf): leaf for x in behind for leaf in leaves(x.grad_fn)}.values() if behind[0].grad_fn else behind)

    def follow(self, parameters):
        """Looks at the next backward for gradients of the parameters, and at all that come later where it brings some of them."""
        parameters = {id(p): p for p in parameters}
        reached = set()
        hooks = [p.register_hook(lambda gradient, i=i: reached.add(i) if bool(gradient.any()) else None) for i, p in parameters.items()]

        def over():
            for hook in hooks:
                hook.remove()
            self.show(parameters=len(parameters), with_gradient=len(reached))
            if not reached:
                self.confirm(self.confirmed_as, parameters=len(parameters))
                return
            self.reached |= reached
            for i in parameters.keys() - self.behind.keys():
                self.behind[i] = parameters[i]
                parameters[i].register_hook(lambda gradient, i=i: self.reached.add(i) if bool(gradient.any()) else None)

        self.run.after_backward.append(over)

    def end(self):
        dry = [p for i, p in self.behind.items() if i not in self.reached and self.run.owns(p)]
        if self.cut and self.run.gradless > self.gradless:
            self.confirm("backward() was called on a loss that carries no gradient")
        elif dry:
            self.confirm("no backward of the run brought a gradient to %d of the %d parameters behind it" % (len(dry), len(self.behind)))
        elif self.behind:
            self.unsure("the parameters behind it get gradients by another way")
        elif self.cut:
            self.unsure("it was cut off, and no backward followed")

    def holds(self):
        return "it carried gradients"


def with_gradient(value, depth=3):
    """Returns the tensors in a value that carry gradients."""
    if getattr(value, "requires_grad", False) and hasattr(value, "grad_fn"):
        return [value]
    if depth and isinstance(value, dict):
        value = list(value.values())
    if depth and isinstance(value, (list, tuple)):
        return [x for part in value for x in with_gradient(part, depth - 1)]
    return []


class HandsBack(Probe):
    """Watches an operation for gradients that it spoils on the way back.

    A subclass says what counts as spoilt (``spoilt``, of a tensor), and how that is called:
    a gradient that is spoilt, where the one that came to the operation was not, confirms.
    """

    counted = confirmed_as = ""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.waiting = 0

    def spoilt(self, gradient):
        """Returns which elements of a gradient are spoilt, as a tensor of booleans."""
        raise NotImplementedError

    def hit(self, hit):
        inputs = [v for v in hit.parts.values() if getattr(v, "requires_grad", False)]
        if not getattr(hit.value, "requires_grad", False) or not inputs:
            return
        came, clean = [], []
        self.waiting += 1
        self.at_backward(hit.value, came.append)
        for x in inputs:
            self.at_backward(x, lambda gradient: self.went(came, clean, gradient))

    def went(self, came, clean, gradient):
        self.waiting = 0
        if not came:
            return  # along another way only
        spoilt = int(self.spoilt(gradient).sum())
        self.plot(**{self.counted: spoilt})
        self.show(**{self.counted: spoilt})
        if spoilt and not self.spoilt(came[-1]).any():
            self.confirm(self.confirmed_as, elements=spoilt)
        elif not spoilt and not clean:  # once for each evaluation
            clean.append(True)
            self.upheld()

    def end(self):
        if self.waiting and self.confirmed is None:
            self.unsure("no backward reached it")
