"""OFF016: whether a schedule is cut by its bound in the first round, or never moves.

The bound in place of the number that was moved confirms, where it is so in the first round, or in the third and all that follow. So does a condition that is false in every round.
Numbers that move, and conditions that hold, refute.
"""

from rlvet_harness import Probe


class ScheduleReversed(Probe):
    """Watches the call of min or max, or the condition."""

    enough = 4
    needs = "a number that moves from evaluation to evaluation without the bound, or a condition that holds"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.moved = False
        self.before = None  # the number that the last evaluation yielded
        self.bounded = 0  # evaluations one after the other that yielded the bound

    def hit(self, hit):
        if isinstance(hit.value, bool):
            self.moved = self.moved or hit.value
            self.upheld(self.moved)
            if not self.moved and self.hits > self.enough:
                self.confirm("the condition was false %d times" % self.hits)
            return
        parts = [hit.part("arg0"), hit.part("arg1")]
        if not all(isinstance(p, (int, float)) for p in parts):
            return
        bound = [p for p, node in zip(parts, self.operands()) if not node]
        if bound and float(hit.value) == float(bound[0]) and parts[0] != parts[1]:
            self.bounded += 1
            if self.hits == 1:
                self.confirm("the first round went to the bound", bound=float(bound[0]))
            elif self.hits == 5 and self.bounded >= 3:
                self.confirm("the bound was reached within two steps", bound=float(bound[0]))
        elif len(bound) == 1:
            self.upheld(self.before not in (None, float(hit.value)))
        self.before = float(hit.value)

    def operands(self):
        """Whether each argument is arithmetic, which moves the number."""
        import ast

        call = self.expression()
        return [isinstance(a, ast.BinOp) for a in call.args] if isinstance(call, ast.Call) else [True, True]

    def holds(self):
        return "the number moved"
