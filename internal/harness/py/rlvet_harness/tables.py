"""Operations of a column (N, 1) and a vector (N,), which broadcast to a table (N, N)."""

from .probe import Probe

OPERANDS = ("left", "right", "receiver", "arg0", "arg1", "input", "target", "other")


def shapes_of(hit):
    """Returns the shapes of the two sides of an operation, or of a loss function."""
    return [tuple(hit.parts[name].shape) for name in OPERANDS if hasattr(hit.parts.get(name), "shape")][:2]


class Table(Probe):
    """Watches the shapes of the two sides of an operation, or of a loss function."""

    def hit(self, hit):
        shapes = shapes_of(hit)
        if len(shapes) < 2:
            self.unsure("an operand has no shape")
            return
        self.show(left=shapes[0], right=shapes[1])
        self.upheld(shapes[0] == shapes[1] or () in shapes)
        column, vector = sorted(shapes, key=len, reverse=True)
        if len(column) == 3 and len(vector) == 2 and column[1] == 1 and vector[0] > 1 and column[2] == vector[1]:
            self.confirm("the rows of %d sequences are paired with each other" % vector[0], left=column, right=vector)
            return
        if len(column) != 2 or len(vector) != 1 or column[1] != 1:
            return
        if column[0] == vector[0] and vector[0] > 1:
            self.confirm("a column and a vector of %d rows make a table of %d numbers" % (vector[0], vector[0] ** 2), column=column, vector=vector)
        elif vector[0] > 1:
            self.unsure("the column and the vector differ in length")

    def holds(self):
        return "both sides had one shape"
