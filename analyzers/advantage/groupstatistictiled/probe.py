"""ADV023: statistics of groups that meet the batch.

It confirms if there are several groups whose statistics differ, and equal ones do not lie together; or if they lie together, and are the means
of columns. Of a table that is divided by a spread of its rows it confirms if its columns have a mean of 0, and its rows do not; and the other
way round. Of a mean of groups it confirms if the answers near it begin with different tokens within a group, and with the same across groups.
"""

from rlvet_harness import Probe


class GroupStatisticTiled(Probe):
    """Watches the batch with the repeated statistics."""

    enough = 3

    def hit(self, hit):
        table = hit.part("receiver", "arg0")
        if hasattr(table, "shape") and len(table.shape) == 2 and "left" not in hit.parts:
            self.groups(*table.shape)
            return
        left = hit.part("left") if "left" in hit.parts else hit.argument(0, "input")
        right = hit.part("right") if "right" in hit.parts else hit.argument(1, "other")
        if not all(hasattr(x, "reshape") and hasattr(x, "shape") for x in (left, right)):
            self.unsure("an operand is no tensor")
            return
        if len(left.shape) == 2 and len(right.shape) == 2 and 1 in tuple(right.shape):
            self.table(left, 0 if right.shape[1] == 1 else 1)
            return
        for statistic, batch in ((left, right), (right, left)):
            if self.misplaced([float(v) for v in statistic.reshape(-1)[:4096]], [float(v) for v in batch.reshape(-1)[:4096]]):
                self.confirm("the statistics of the groups stand in another order than the groups", samples=len(batch))

    def groups(self, rows, n):
        """Looks at the answers that a table of groups was computed of: each begins with its prompt."""
        for value in list(self.frame().f_locals.values()):
            if not hasattr(value, "is_floating_point") or value.is_floating_point() or len(value.shape) != 2 or len(value) != rows * n:
                continue
            first = value[:, 0]
            apart = bool((first.reshape(rows, n) != first.reshape(rows, n)[:, :1]).any())
            if apart and bool((first.reshape(n, rows) == first[:rows]).all()):
                self.confirm("the answers of a group begin with different prompts", groups=rows, answers=n)

    def table(self, centred, across):
        """Looks at a table that is divided by a spread along the other axis than across."""
        means = [abs(centred.mean(axis)).max() for axis in (across, 1 - across)]
        if float(means[0]) < 1e-4 < float(means[1]):
            self.confirm("the mean was taken along another dimension than the spread", rows=centred.shape[0], columns=centred.shape[1])

    def misplaced(self, statistic, batch):
        """Says whether numbers that repeat stand elsewhere than the groups of the batch."""
        n, groups = len(statistic), len(set(statistic))
        if not 1 < groups < n or n % groups or len(batch) != n:
            return False
        if sum(a != b for a, b in zip(statistic, statistic[1:])) + 1 != groups:
            return True
        columns = [sum(batch[g::groups]) * groups / n for g in range(groups)]
        return all(abs(a - b) <= 1e-4 * (1 + abs(a)) for a, b in zip(columns, statistic[:: n // groups]))

    def holds(self):
        return "there was one group, or all statistics were equal"
