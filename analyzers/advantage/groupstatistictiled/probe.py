"""ADV023: statistics of groups that meet the batch.

It confirms if there are several groups whose statistics differ, and equal ones do not lie together; or if they lie together, and are the means
of columns. Of a table that is divided by a spread of its rows it confirms if its columns have a mean of 0, and its rows do not; and the other
way round. Of a batch that is viewed as groups it confirms if the answers near it begin with different tokens within a group, and with the same across groups.

It refutes where the statistics are means or spreads of neighbours that they stand beside, where a table has a mean of 0 along the axis of its spread alone, or
where answers near it begin alike within groups, and otherwise from group to group.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import parts_near
from rlvet_harness.observe import is_tensor

MOST = 4096  # samples that are looked at


class GroupStatisticTiled(Probe):
    """Watches the batch with the repeated statistics."""

    enough = 3
    needs = "several groups, with different statistics beside the values that they are of, or with the answers in sight"

    def hit(self, hit):
        if "left" not in hit.parts and hasattr(hit.value, "shape") and len(hit.value.shape) == 2:
            self.groups(*hit.value.shape)
            return
        left = hit.part("left") if "left" in hit.parts else hit.argument(0, "input")
        right = hit.part("right") if "right" in hit.parts else hit.argument(1, "other")
        if not all(hasattr(x, "reshape") and hasattr(x, "shape") for x in (left, right)):
            self.unsure("an operand is no tensor")
        elif len(left.shape) == 2 and len(right.shape) == 2 and 1 in tuple(right.shape):
            self.table(left, 0 if right.shape[1] == 1 else 1)
        else:
            self.beside(left, right)

    def beside(self, left, right):
        """Looks at a batch and the statistics of its groups, whichever is which."""
        for statistic, batch in ((left, right), (right, left)):
            statistic, batch = ([float(v) for v in x.reshape(-1)[:MOST]] for x in (statistic, batch))
            n, groups = len(statistic), len(set(statistic))
            if not 1 < groups < n or n % groups or len(batch) != n:
                continue
            together = sum(a != b for a, b in zip(statistic, statistic[1:])) + 1 == groups
            columns = [batch[g::groups] for g in range(groups)]
            rows = [batch[g : g + n // groups] for g in range(0, n, n // groups)]
            if is_of(*((rows, statistic[:: n // groups]) if together else (columns, statistic[:groups]))):
                self.upheld()
            elif not together or is_of(columns, statistic[:: n // groups]):
                self.confirm("the statistics of the groups stand in another order than the groups", samples=n)

    def groups(self, rows, n):
        """Looks at the answers that a table of groups was computed of: each begins with its prompt."""
        alike = False
        for _, _, value in parts_near(self.frame()):
            if not is_tensor(value) or value.is_floating_point() or len(value.shape) != 2 or len(value) != rows * n:
                continue
            first = value[:, 0].reshape(rows, n)
            apart = bool((first != first[:, :1]).any())
            if apart and bool((first.reshape(n, rows) == first.reshape(-1)[:rows]).all()):
                self.confirm("the answers of a group begin with different prompts", groups=rows, answers=n)
            alike = alike or not apart and bool((first != first[:1]).any())
        if alike:
            self.upheld()

    def table(self, centred, across):
        """Looks at a table that is divided by a spread along the other axis than across."""
        wrong, right = (float(abs(centred.mean(axis)).max()) for axis in (across, 1 - across))
        if wrong < 1e-4 < right:
            self.confirm("the mean was taken along another dimension than the spread", rows=centred.shape[0], columns=centred.shape[1])
        elif right < 1e-4 < wrong:
            self.upheld()

    def holds(self):
        return "the statistics stood beside the groups that they are of"


def is_of(groups, statistics):
    """Reports whether numbers are the means of groups, or their spreads."""
    size = len(groups[0])
    means = [sum(g) / size for g in groups]
    squares = [sum((v - m) ** 2 for v in g) for g, m in zip(groups, means)]
    kinds = [means] + [[(s / d) ** 0.5 for s in squares] for d in (size, size - 1) if d]
    return any(all(abs(a - b) <= 1e-4 * (1 + abs(a)) for a, b in zip(kind, statistics)) for kind in kinds)
