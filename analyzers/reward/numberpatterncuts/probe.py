"""RWD013: whether a pattern takes a part of a number for the number."""

import re

from rlvet_harness import Probe

BEFORE = ("#### ", "####", "answer is ", "the answer is ", "The answer is: ", "Answer: ", "answer: ", "<answer>", "\\boxed{", "result: ", "solution: ")
NUMBERS = ("70,000", "-3")


class NumberPatternCuts(Probe):
    """Tries the pattern on texts that end in a number."""

    enough = 1
    needs = "a pattern that matches a number with commas or a sign behind its mark"
    scores = True

    def hit(self, hit):
        pattern = hit.value if isinstance(hit.value, (re.Pattern, str)) else hit.part("arg0", "pattern")
        if isinstance(pattern, str):
            flags = hit.part("flags", "arg2") or 0
            pattern = re.compile(pattern, flags if isinstance(flags, int) else 0)
        if not isinstance(pattern, re.Pattern):
            return self.unsure("the pattern was not seen")
        right = False
        for before in BEFORE:
            for number in NUMBERS:
                text = before + number
                found = pattern.search(text)
                if found is None:
                    continue
                parts = [g for g in found.groups() if g and re.search(r"\d", g)] or [found.group()[len(before):]]
                if all(bare(part) != bare(number) for part in parts):
                    self.confirm("the pattern reads %r as %r" % (text, parts[0]), text=text)
                elif bare(number) != number:
                    right = True
        if right:
            self.upheld()

    def holds(self):
        return "the pattern read whole numbers"


def bare(text):
    """Returns a number without what stands between digits."""
    return re.sub(r"[^\d-]", "", text)
