"""ADV011: which dimension of the values the statistic is lined up with.

Shapes that cannot be broadcast confirm by the error. Where the statistic has one dimension
less than the values and they can, only values with as many rows as columns can be mistaken:
a statistic that is nearer to that of the rows than to that of the columns, and is lined up
with the columns, confirms. Shapes with the same number of dimensions refute.
"""

from rlvet_harness import Probe

REFUSALS = ("must match the size of tensor", "could not be broadcast together")
STATISTICS = ("mean", "std", "sum")


class MaskedStatNoKeepdim(Probe):
    """Watches values with a statistic of theirs."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.same = 0

    def hit(self, hit):
        values, statistic = hit.part("left", "receiver"), hit.part("right", "arg0")
        shapes = tuple(getattr(values, "shape", ())), tuple(getattr(statistic, "shape", ()))
        self.show(values=shapes[0], statistic=shapes[1])
        if len(shapes[0]) != len(shapes[1]) + 1 or not shapes[1]:
            self.same += len(shapes[0]) == len(shapes[1]) or not shapes[1]
        elif len(shapes[0]) == 2 and shapes[0][0] == shapes[0][1]:
            self.square(values, statistic)
        else:
            self.unsure("the statistic has lost a dimension, and the shapes do not tell which")

    def square(self, values, statistic):
        rows, columns = _nearest(values, statistic, 1), _nearest(values, statistic, 0)
        self.plot(rows_less_columns=rows - columns)
        if rows < columns:
            self.confirm("the statistic of each row is lined up with the columns", distance_to_rows=rows, distance_to_columns=columns)

    def failed(self, error):
        if any(r in str(error) for r in REFUSALS):
            return "the statistic does not line up with the values: %s" % str(error).splitlines()[0]
        return None

    def holds(self):
        return "the statistic had as many dimensions as the values, or none"


def _nearest(values, statistic, dimension):
    """Returns how far a statistic is from the nearest one of the values along a dimension."""
    values, statistic = _detached(values), _detached(statistic)
    return min(float(abs(getattr(values, name)(dimension) - statistic).mean()) for name in STATISTICS)


def _detached(value):
    return value.detach() if hasattr(value, "detach") else value
