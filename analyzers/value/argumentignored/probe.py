"""VAL062: the attribute and the argument that stands for it.

It confirms if a variable that is called as the attribute holds another value where the
attribute is read: somebody passed it. Different values, each of which the attribute has as well, refute.
"""

import ast

from rlvet_harness import Probe


class ArgumentIgnored(Probe):
    """Watches the attribute that is read."""

    enough = 1
    needs = "several values of the argument, each the attribute's as well"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.passed = []

    def hit(self, hit):
        node = self.expression()
        local = self.frame().f_locals
        if not isinstance(node, ast.Attribute) or node.attr not in local:
            self.unsure("the argument has another name than the attribute")
            return
        passed = local[node.attr]
        self.show(attribute=repr(hit.value)[:40], argument=repr(passed)[:40])
        if passed is not hit.value and passed != hit.value:
            self.confirm("another value was passed than is used", used=repr(hit.value)[:40], passed=repr(passed)[:40])
        else:
            self.upheld(bool(self.passed) and self.passed[0] is not passed and self.passed[0] != passed)
            self.passed = self.passed or [passed]

    def holds(self):
        return "the argument was what the attribute is"
