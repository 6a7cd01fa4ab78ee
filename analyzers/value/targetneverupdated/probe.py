"""VAL003: the weights of the target network.

It confirms if they are at the end what they were when the target was first evaluated, though
an optimizer has stepped. Of a network that is flagged where it is made, the first weights are those at the first step. Weights that have changed, which no optimizer holds, refute.
"""

import ast

from rlvet_harness import Probe


class TargetNeverUpdated(Probe):
    """Watches what the target network yields."""

    enough = 1
    needs = "steps of an optimizer, and weights that change and that it does not hold"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.weights = []  # with their first values
        self.made = None  # the network, where its making is flagged
        self.changed = 0

    def hit(self, hit):
        if hasattr(hit.value, "parameters"):
            self.made = hit.value
        elif not self.weights:
            self.begin(self.called())

    def stepped(self, optimizer):
        if self.made is not None and not self.weights:
            self.begin(self.made)

    def begin(self, network):
        """Keeps the first weights of a network."""
        if hasattr(network, "parameters"):
            self.weights = [(p, p.detach().clone()) for p in network.parameters()]

    def called(self):
        """Returns what the flagged expression calls, where that is a name or an attribute."""
        node = self.expression()
        names = []
        node = node.func if isinstance(node, ast.Call) else None
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
        if not self.weights or not self.run.steps:
            self.unsure("the target was not seen, or no optimizer stepped")
            return
        self.changed = sum(not bool((p.detach() == before).all()) for p, before in self.weights)
        self.show(parameters=len(self.weights), changed=self.changed)
        if not self.changed:
            self.confirm("the target had its first weights at the end", parameters=len(self.weights), steps=self.run.steps)
        elif any(self.run.owns(p) for p, _ in self.weights):
            self.unsure("an optimizer holds the network, and changed it")
        else:
            self.upheld()

    def holds(self):
        return "the weights of the target changed"
