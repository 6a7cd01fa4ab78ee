"""VAL003: the weights of the target network.

It confirms if they are at the end what they were when training began, though an optimizer has stepped. Training begins at the first
step after the target was evaluated, or of a network that is flagged where it is made at the first step: a copy before that is part
of how it is made. Weights that have changed twice since, with steps between, all of them, and which no optimizer holds, refute: one
copy alone may end a phase that comes before.
"""

import ast

from rlvet_harness import Probe
from rlvet_harness.observe import same_numbers

TWICE = 2  # changes that show that the target follows


class TargetNeverUpdated(Probe):
    """Watches what the target network yields."""

    enough = 1
    needs = "weights that change twice after steps of an optimizer that does not hold them, all of them"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.network = None
        self.made = False  # whether it is flagged where it is made
        self.weights = None  # as they were last
        self.still = set()  # places of parameters that never changed
        self.changes = 0
        self.at = 0  # steps at the last look

    def hit(self, hit):
        self.made = hasattr(hit.value, "parameters")
        network = hit.value if self.made else self.called()
        if not hasattr(network, "parameters"):
            return
        if self.weights is None:
            self.network = network
        elif network is not self.network:
            self.unsure("the target is another network later")
        else:
            self.look()

    def stepped(self, optimizer):
        if self.network is None:
            return
        if self.weights is None:
            self.weights = [p.detach().clone() for p in self.network.parameters()]
            self.still = set(range(len(self.weights)))
            self.at = self.run.steps
        elif self.made:
            self.look()

    def look(self):
        """Compares the weights with what they were, once after each step until they have changed often enough."""
        if self.changes >= TWICE and not self.still or self.run.steps == self.at:
            return
        self.at = self.run.steps
        now = [p.detach() for p in self.network.parameters()]
        if len(now) != len(self.weights):
            self.unsure("the target has other parameters later")
            return
        moved = {i for i, (p, before) in enumerate(zip(now, self.weights)) if not same_numbers(p, before)}
        self.changes += bool(moved)
        self.still -= moved
        for i in moved:
            self.weights[i] = now[i].clone()

    def called(self):
        """Returns the network that the flagged expression calls by a name or an attribute: outermost, or the only one."""
        node = self.expression()
        while isinstance(node, ast.Call):
            if hasattr(self.value_of(node.func), "parameters"):
                return self.value_of(node.func)
            node = node.func.value if isinstance(node.func, ast.Attribute) else None
        calls = (node.func for node in ast.walk(self.expression() or ast.Pass()) if isinstance(node, ast.Call))
        networks = {id(value): value for value in map(self.value_of, calls) if hasattr(value, "parameters")}
        return networks.popitem()[1] if len(networks) == 1 else None

    def value_of(self, node):
        """Returns what a name, or an attribute of one, stands for."""
        names = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        frame = self.frame()
        value = frame.f_locals.get(node.id, frame.f_globals.get(node.id))
        for name in reversed(names):
            value = getattr(value, name, None)
        return value

    def end(self):
        if not self.weights:
            self.unsure("the target was not seen, or no optimizer stepped after it was")
            return
        self.at = None  # what came after the last step counts
        self.look()
        self.show(parameters=len(self.weights), changes=self.changes, unchanged=len(self.still))
        if self.doubt:
            return
        if not self.changes:
            self.confirm("the target had its first weights at the end", parameters=len(self.weights), steps=self.run.steps)
        elif any(self.run.owns(p) for p in self.network.parameters()):
            self.unsure("an optimizer holds the network, and changed it")
        elif self.still:
            self.unsure("%d of the %d parameters of the target did not change" % (len(self.still), len(self.weights)))
        elif self.changes < TWICE:
            self.unsure("the weights of the target changed only once after training began: run longer")
        else:
            self.upheld()

    def holds(self):
        return "the weights of the target changed"
