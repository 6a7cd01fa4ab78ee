"""ADV041: a division by one less than the size of the groups.

It confirms if the divisor is 0: no other member is left to take the mean of.
"""

from rlvet_harness import Probe, numbers


class LeaveOneOutOfOne(Probe):
    """Watches x / (n - 1)."""

    enough = 1
    needs = "a divisor in numbers, of groups of several"

    def hit(self, hit):
        n = numbers(hit.part("right") if "right" in hit.parts else hit.argument(1, "other"))
        if n is None or n.count != 1:
            self.unsure("the divisor was not seen")
            return
        self.show(divisor=n.mean)
        if n.mean == 0:
            self.confirm("the group has one member: the sum of the others is divided by 0", value=numbers(hit.value).brief())
        elif n.mean is not None and n.mean >= 1:
            self.upheld()

    def holds(self):
        return "every group had other members"
