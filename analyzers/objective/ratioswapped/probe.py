"""OBJ020: checks the sign with which the trained policy enters the ratio.

Follows the graph of the run from the ratio to the difference of log-probabilities (or the
quotient of probabilities). The side that carries gradients is the trained policy. Confirmed
if the ratio falls as the log-probability of that side rises, refuted if it rises. A cross
entropy counts as a log-probability with the opposite sign.
"""

from rlvet_harness import Probe, numbers

PASSING = ("View", "UnsafeView", "Reshape", "Squeeze", "Unsqueeze", "Slice", "Select", "Expand", "Clone", "Sum", "Mean", "Clamp", "Nan", "ToCopy", "Index", "Transpose", "T")


class RatioSwapped(Probe):
    """Watches the importance ratio."""

    enough = 5
    needs = "a graph that shows which side is the trained policy"

    def hit(self, hit):
        if getattr(hit.value, "grad_fn", None) is None:
            return  # only logged
        if hit.index < 5 or hit.index % 16 == 0:  # reading numbers from a GPU waits for it
            ratio = numbers(hit.value)
            self.show(ratio=ratio.brief())
            self.plot(ratio=ratio.mean)
        sign = direction(hit.value.grad_fn)
        if sign < 0:
            self.confirm("it falls as the trained policy makes the action more likely", ratio=numbers(hit.value).brief())
        elif sign > 0:
            self.upheld()
        else:
            self.unsure("the graph does not show which side is the trained policy")

    def holds(self):
        return "it rose with the trained policy's log-probability"


def direction(node):
    """Returns the sign with which the trained log-probability enters, 0 if unknown."""
    sign, exponential = 1, False
    for _ in range(20):
        name = _name(node)
        sides = [fn for fn, _ in node.next_functions]
        one_sided = len(sides) == 2 and (sides[0] is None) != (sides[1] is None)
        if name == "Exp":
            exponential = True
        elif name == "Neg":
            sign = -sign
        elif name in ("Sub", "Add", "Div") and one_sided and (exponential or name == "Div"):
            if name != "Add" and sides[0] is None:
                sign = -sign
            if name == "Div" and exponential:  # a scale: the difference is below it
                node = sides[0] or sides[1]
                continue
            return sign * orientation(sides[0] or sides[1])
        elif name not in PASSING:
            return 0
        node = next((s for s in sides if s is not None), None)
        if node is None:
            return 0
    return 0


def orientation(node):
    """Returns -1 if the tensor of a node is a cross entropy or a negated value."""
    sign = 1
    while node is not None:
        name = _name(node)
        if name == "Neg":
            sign = -sign
        elif name.startswith(("NllLoss", "BinaryCrossEntropy")):
            return -sign
        elif name not in PASSING:
            return sign
        node = node.next_functions[0][0] if node.next_functions else None
    return sign


def _name(node):
    return type(node).__name__.split("Backward")[0]
