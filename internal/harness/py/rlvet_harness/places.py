"""Writes down what an expression is, at each evaluation: what people paste prints for."""

import json
import os
import threading

from .observe import is_tensor, numbers
from .probe import Probe


class Place(Probe):
    """Watches one place; each evaluation is a line of JSON in the file of its number.

    Where it is evaluated is told by the loops around it, the outer one first, and by the calls of
    its function before them: the third update, the second pass over its data, the first mini-batch.
    """

    enough = 1
    rounds = True
    clip = 0.2  # how far a ratio may be from 1 before it counts as clipped

    def __init__(self, target, run):
        super().__init__(target, run)
        self.counts = threading.local()
        self.file = None

    # Called by the rewritten program.

    def called(self):
        """The function around the place begins."""
        at = self.where()
        at[0] += 1
        at[1:] = [-1] * (len(at) - 1)

    def entered(self, depth):
        """A loop begins, and with it those in it anew."""
        at = self.where()
        at[1 + depth :] = [-1] * (len(at) - 1 - depth)

    def round(self, depth):
        """A round of a loop begins."""
        self.where()[1 + depth] += 1

    def where(self):
        at = getattr(self.counts, "at", None)
        if at is None:
            at = self.counts.at = [-1] * (1 + self.target.get("loops", 0))
        return at

    def hit(self, hit):
        value = hit.value
        if self.target["expression"]:
            try:
                value = value()
            except Exception as error:
                return self.unsure("`%s` raises %s: %s" % (self.target["expression"], type(error).__name__, error))
        seen = numbers(value)
        if seen is None:
            return self.unsure("it holds no numbers: it is a %s" % type(value).__name__)
        self.write({"evaluation": hit.index, "step": hit.step, "rounds": list(self.where()), **seen.brief(), **self.more(value, seen)})

    def more(self, value, seen):
        """Returns the numbers of a value that a probe does not need, and those of a ratio."""
        if not (is_tensor(value) and value.is_floating_point() and seen.count):
            return {}
        x = value.detach().double()
        out = {"std": float(x.std())} if seen.count > 1 else {}
        if self.target["code"] == "ratio" and not seen.bad:
            out["clipped"] = float(((x - 1).abs() > self.clip).double().mean())
            if seen.low > 0:
                out["kl"] = float((x - 1 - x.log()).mean())
        return out

    def write(self, line):
        if self.file is None:
            folder = os.path.join(self.run.request["kept"], self.run.name)
            os.makedirs(folder, exist_ok=True)
            self.file = open(os.path.join(folder, "place-%d.jsonl" % self.target["id"]), "a", encoding="utf-8")
        self.file.write(json.dumps({k: str(v) if isinstance(v, float) and v - v != 0 else v for k, v in line.items()}) + "\n")

    def end(self):
        if self.file is not None:
            self.file.flush()

    def become_child(self):
        """Writes a file of its own in another process of the program."""
        self.file = None

    def holds(self):
        return "it was written down"
