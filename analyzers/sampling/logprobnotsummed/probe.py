"""DIST003: the shapes of a log-density and of the number for the whole action that it meets.

A last axis of several dimensions against a last axis of one confirms; equal shapes refute.
"""

from rlvet_harness import Probe
from rlvet_harness.tables import shapes_of


class LogprobNotSummed(Probe):
    """Watches both sides of an operation."""

    needs = "two sides with one number for each action"

    def hit(self, hit):
        shapes = shapes_of(hit)
        if len(shapes) < 2 or not all(shapes):
            self.unsure("an operand has no shape")
            return
        self.show(left=shapes[0], right=shapes[1])
        most, least = sorted((s[-1] for s in shapes), reverse=True)
        if most > 1 and least == 1 and len(shapes[0]) == len(shapes[1]):
            self.confirm("%d log-densities meet one number for the action" % most, left=shapes[0], right=shapes[1])
        elif shapes[0] == shapes[1] and (len(shapes[0]) == 1 or most == 1):
            self.upheld()

    def holds(self):
        return "there was one log-density for each action"
