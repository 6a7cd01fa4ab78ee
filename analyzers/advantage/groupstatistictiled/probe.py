"""ADV023: statistics of groups that meet the batch.

It confirms if there are several groups whose statistics differ, and equal ones do not lie together; or if they lie together, and are the means
of columns.
"""

from rlvet_harness import Probe


class GroupStatisticTiled(Probe):
    """Watches the batch with the repeated statistics."""

    enough = 3

    def hit(self, hit):
        left = hit.part("left") if "left" in hit.parts else hit.argument(0, "input")
        right = hit.part("right") if "right" in hit.parts else hit.argument(1, "other")
        if not all(hasattr(x, "reshape") and hasattr(x, "shape") for x in (left, right)):
            self.unsure("an operand is no tensor")
            return
        for statistic, batch in ((left, right), (right, left)):
            if self.misplaced([float(v) for v in statistic.reshape(-1)[:4096]], [float(v) for v in batch.reshape(-1)[:4096]]):
                self.confirm("the statistics of the groups stand in another order than the groups", samples=len(batch))

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
