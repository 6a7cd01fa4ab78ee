"""ADV011: the dimension of the values that the statistic is aligned with.

Shapes that cannot be broadcast confirm by their error. If the statistic has one dimension
less than the values and they do broadcast, the mistake can hide only where there are as
many rows as columns: a statistic nearer to that of the rows than to that of the columns is
aligned with the columns, and confirms. Shapes with the same number of dimensions refute.
"""

from rlvet_harness import Probe

REFUSALS = ("must match the size of tensor", "could not be broadcast together")
STATISTICS = ("mean", "std", "sum")


class MaskedStatNoKeepdim(Probe):
    """Watches values and a statistic of them."""

    needs = "values of several dimensions, and a statistic that keeps them"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.same = 0

    def hit(self, hit):
        values, statistic = hit.part("left", "receiver"), hit.part("right", "arg0")
        shapes = tuple(getattr(values, "shape", ())), tuple(getattr(statistic, "shape", ()))
        self.show(values=shapes[0], statistic=shapes[1])
        if len(shapes[0]) != len(shapes[1]) + 1 or not shapes[1]:
            self.same += len(shapes[0]) == len(shapes[1]) or not shapes[1]
            if len(shapes[0]) > 1 and len(shapes[0]) == len(shapes[1]) and shapes[0] != shapes[1]:
                self.upheld()
        elif len(shapes[0]) == 2 and shapes[0][0] == shapes[0][1]:
            self.square(values, statistic)
        else:
            self.unsure("the statistic has one dimension less, and the shapes do not tell which")

    def square(self, values, statistic):
        rows, columns = _nearest(values, statistic, 1), _nearest(values, statistic, 0)
        self.plot(rows_less_columns=rows - columns)
        if rows < columns:
            self.confirm("row statistics are aligned with the columns", distance_to_rows=rows, distance_to_columns=columns)

    def failed(self, error):
        if any(r in str(error) for r in REFUSALS):
            return "the shapes do not match: %s" % str(error).splitlines()[0]
        return None

    def holds(self):
        return "the statistic had as many dimensions as the values, or none"


def _nearest(values, statistic, dimension):
    """Returns the distance of a statistic from the nearest statistic of the values over a dimension."""
    values, statistic = _detached(values), _detached(statistic)
    return min(float(abs(getattr(values, name)(dimension) - statistic).mean()) for name in STATISTICS)


def _detached(value):
    return value.detach() if hasattr(value, "detach") else value
