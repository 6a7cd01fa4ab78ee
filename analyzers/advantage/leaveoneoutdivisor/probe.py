"""ADV022: the mean of the others.

It confirms if the divisor is the number of elements along an axis of the sums of the others, or of all of them: then each of these
sums has one term less.
"""

from rlvet_harness import Probe, numbers


class LeaveOneOutDivisor(Probe):
    """Watches (sum - x) / n."""

    enough = 1
    needs = "sums of the others that are divided by one less than their number"

    def hit(self, hit):
        rest = hit.part("left") if "left" in hit.parts else hit.argument(0, "input")
        n = numbers(hit.part("right") if "right" in hit.parts else hit.argument(1, "other"))
        if not hasattr(rest, "shape") or n is None or n.count != 1:
            self.unsure("the sums of the others or their divisor were not seen")
            return
        self.show(shape=list(rest.shape), divisor=n.mean)
        if n.mean is not None and n.mean > 1 and (n.mean in rest.shape or n.mean == numbers(rest).count):
            self.confirm("the sum of the others is divided by the number of all", divisor=n.mean)
        elif n.mean is not None and n.mean >= 1 and (n.mean + 1 in rest.shape or n.mean + 1 == numbers(rest).count):
            self.upheld()

    def holds(self):
        return "the divisor was not the number of all elements"
