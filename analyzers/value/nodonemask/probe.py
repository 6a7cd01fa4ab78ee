"""VAL002: what is added to the reward where an episode ended.

Flags are searched for in the variables around the sum. It confirms if the other part of the sum is not 0 wherever one of them
is 1, in all batches: actions are 0 and 1, too, but some of those that are 1 end an episode. A sum of one number is an element of a list of steps: then the flag is the element of the same
number.
"""

import ast

from rlvet_harness import Probe
from rlvet_harness.flags import flags_near, flat, named_flags_near


class NoDoneMask(Probe):
    """Watches the sum of reward and discounted value."""

    enough = 3
    needs = "a flag in sight, and a part of the sum that is 0 just where it is 1"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.masked = 0
        self.counted = {}  # by the flag's name: how many rows with the flag the next value was counted in, of how many

    def hit(self, hit):
        left, right = flat(hit.part("left")), flat(hit.part("right"))
        if not left or not right or len(left) != len(right):
            return
        frame = self.frame()
        if len(left) == 1:
            self.step(frame, left[0], right[0])
            return
        value = self.discounted(left, right)
        for name, ended in named_flags_near(frame, len(left)):
            self.upheld(value is not None and all((x == 0) == bool(over) for x, over in zip(value, ended)))
            parts = [a != 0 and b != 0 for a, b, over in zip(left, right, ended) if over]
            counted, of = self.counted.get(name, (0, 0))
            self.counted[name] = counted + sum(parts), of + len(parts)
            self.masked += 1

    def discounted(self, left, right):
        """Returns the side of the sum that is a product, as the discounted value is; None where that is not one of them."""
        sum_of = self.expression()
        products = [isinstance(getattr(sum_of, side, None), ast.BinOp) and isinstance(getattr(sum_of, side).op, ast.Mult) for side in ("left", "right")]
        return None if products[0] == products[1] else left if products[0] else right

    def step(self, frame, a, b):
        """Looks at one step of a loop over steps: the flag stands where the loop's index points."""
        steps = [v for v in frame.f_locals.values() if type(v) is int]
        for size in {len(flat(v) or ()) for v in frame.f_locals.values() if not isinstance(v, (str, dict))}:
            for ended in flags_near(frame, size):
                for t in steps:
                    if 0 <= t < size and ended[t] and a != 0 and b != 0:
                        self.confirm("the value of the next step is counted where a flag of the step is 1", step=t)
                    self.masked += 1

    def end(self):
        for name, (counted, of) in self.counted.items():
            if of and counted == of:
                self.confirm("the value of the next state is counted where a flag of the batch is 1", flag=name, ended=of)
                return
        if self.masked < self.enough:
            self.unsure("no flag of the ends of episodes was found around the sum")

    def holds(self):
        return "nothing was added to the reward where a flag was 1"
