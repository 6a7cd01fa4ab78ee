"""VAL002: what is added to the reward where an episode ended.

Flags of the ends of episodes are searched for in the variables around the sum. It confirms if the other part of the sum is not 0
wherever one of them is 1, in all batches. Rows that are padding, and 0 for that, do not count. It refutes if the other part is 0 just
where such a flag is 1, and other flags of the kind do not contradict it. Rows of
observations with which the environment ended an episode are as good as a flag. A sum of one number is of a transition, whose flag is
the only truth value beside its reward, or an element of a list of steps: then the flag is the element of the same number.
"""

import ast

from rlvet_harness import Probe
from rlvet_harness.flags import Endings, ends_near, flag_of_row, flags_near, flat, is_padding


class NoDoneMask(Probe):
    """Watches the sum of reward and discounted value."""

    enough = 3
    needs = "a flag of the ends of episodes in sight, by its name or its type, and a part of the sum that is 0 just where it is 1"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = 0
        self.counted = {}  # by the flag's name: how many rows with the flag the next value was counted in, of how many
        self.rows = {}  # by the flag's name: whether the next value was counted, in single transitions with the flag and without
        self.steps = {}  # by the names of flag and index: the step, its flag and whether the next value was counted
        self.contradicted = False
        self.endings = Endings()

    def environment_stepped(self, out):
        self.endings.stepped(out)

    def hit(self, hit):
        left, right = flat(hit.part("left")), flat(hit.part("right"))
        if not left or not right or len(left) != len(right):
            return
        frame, value = self.frame(), self.discounted(left, right)
        after = [x != 0 for x in value] if value is not None else [a != 0 and b != 0 for a, b in zip(left, right)]
        if len(left) == 1:
            self.row(hit, frame, after[0])
            self.step(frame, after[0])
            return
        flags = ends_near(frame, len(left)) + self.endings.near(frame, len(left))
        self.seen += len(flags)
        if not any(after):  # as of a network that begins at 0
            return
        masks = [ended for _, ended in flags if value is not None and all(x != bool(over) for x, over in zip(after, ended))]
        sure = [ended for ended in masks if not is_padding(ended)]
        if sure:
            self.upheld()
            self.contradicted = self.contradicted or any(x and over for _, ended in flags for x, over in zip(after, ended))
            return
        padding = self.padding(frame, after)
        for name, ended in flags:
            of = [x for x, over, pad in zip(after, ended, padding) if over and not pad]
            counted, before = self.counted.get(name, (0, 0))
            self.counted[name] = counted + sum(of), before + len(of)

    def discounted(self, left, right):
        """Returns the side of the sum that is a product, as the discounted value is; None where that is not one of them."""
        sum_of = self.expression()
        products = [isinstance(getattr(sum_of, side, None), ast.BinOp) and isinstance(getattr(sum_of, side).op, ast.Mult) for side in ("left", "right")]
        return None if products[0] == products[1] else left if products[0] else right

    def padding(self, frame, after):
        """Returns which rows are 0 for padding: those without a next value, where a flag near says just that."""
        zero = [float(not x) for x in after]
        if 1.0 in zero and is_padding(zero):
            for flag in flags_near(frame, len(zero)):
                if zero in (flag, [1 - x for x in flag]):
                    return zero
        return [0.0] * len(zero)

    def row(self, hit, frame, after):
        """Looks at a single transition."""
        for side in ("left", "right"):
            found = flag_of_row(frame, hit.part(side))
            if found:
                self.seen += 1
                self.rows.setdefault(found[0], {True: [], False: []})[found[1]].append(after)
                return

    def step(self, frame, after):
        """Looks at one step of a loop over steps: the flag stands where the loop's index points."""
        steps = [(name, v) for name, v in frame.f_locals.items() if type(v) is int]
        for size in {len(flat(v) or ()) for v in frame.f_locals.values() if not isinstance(v, (str, dict))} - {1}:
            for name, ended in ends_near(frame, size):
                for index, t in steps:
                    if 0 <= t < size:
                        self.seen += 1
                        self.steps.setdefault((name, index), []).append((t, t == size - 1, bool(ended[t]), after))

    def end(self):
        for name, (counted, of) in self.counted.items():
            if of and counted == of:
                self.confirm("the value of the next state is counted where a flag of the batch is 1", flag=name, ended=of)
                return
        for name, rows in self.rows.items():
            if sum(rows[True]) >= self.enough and 2 * sum(rows[True]) > len(rows[True]) and any(rows[False]):
                self.confirm("the value of the next state is counted where the flag of the transition is true", flag=name, ended=len(rows[True]))
                return
            if any(rows[False]) and not any(rows[True]):
                self.upheld(len(rows[True]) if len(rows[False]) == sum(rows[False]) else 0)
        for (name, index), seen in self.steps.items():
            ended = [after for _, _, over, after in seen if over]
            masked = any(not after and not last for _, last, _, after in seen)  # perhaps by the flag of the step behind
            if ended and all(ended) and not masked and len({t for t, *_ in seen}) > 1:
                self.confirm("the value of the next step is counted where a flag of the step is 1", flag=name, index=index)
                return
        if self.contradicted:
            self.unsure("one flag masks the next value, and another in sight is 1 where it is counted: which of them says that an episode ended is not known")
        elif self.seen < self.enough:
            self.unsure("no flag of the ends of episodes was found around the sum")

    def holds(self):
        return "nothing was added to the reward where a flag was 1"
