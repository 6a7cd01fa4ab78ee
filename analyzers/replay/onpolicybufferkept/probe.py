"""OFF027: whether rows stay in a list over the updates.

Confirmed if rows were in the list before an optimizer stepped and are there when the next row comes, several times. A list that is empty when the first
row after an update comes refutes.
"""

from rlvet_harness import Probe


class OnPolicyBufferKept(Probe):
    """Watches the statement by which a row enters."""

    enough = 2
    needs = "rows that come after an update, into the list that held those before"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.steps = None
        self.kept = 0
        self.rows = None

    def hit(self, hit):
        rows = hit.part("receiver")
        if not hasattr(rows, "__len__"):
            self.unsure("the list was not seen")
            return
        if self.steps is not None and self.run.steps > self.steps:
            if len(rows) > 1:
                self.kept += 1
            elif rows is self.rows:
                self.upheld()  # of another list the rows before may be kept elsewhere
            if self.kept > 1 and not self.upholds:
                self.confirm("rows from before the update were in the list when the next one came", rows=len(rows), updates=self.kept)
        self.steps, self.rows = self.run.steps, rows

    def holds(self):
        return "the list was empty after each update"
