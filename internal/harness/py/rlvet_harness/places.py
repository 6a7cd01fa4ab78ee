"""Writes down what an expression is, at each evaluation: what people paste prints for."""

import json
import os
import threading
import time

from .observe import is_tensor, no_numbers, numbers
from .probe import Probe
from .together import can_wait, numbers_together

MOST_WAITING = 64  # evaluations that wait for their numbers to be computed together
MOST_KEPT = 1 << 18  # numbers that wait with them
MOST_LATE = 1.0  # seconds that they wait, so that whoever looks on sees something

encode = json.JSONEncoder(allow_nan=False).encode


class Place(Probe):
    """Watches one place; each evaluation is a line of JSON in the file of its number.

    Where it is evaluated is told by the loops around it, the outer one first, and by the calls of
    its function before them: the third update, the second pass over its data, the first mini-batch.
    A tensor is copied, and its numbers are computed with those of the tensors after it.
    """

    enough = 1
    rounds = True
    clip = 0.2  # how far a ratio may be from 1 before it counts as clipped

    def __init__(self, target, run):
        super().__init__(target, run)
        self.counts = threading.local()
        self.waiting, self.kept = [], 0  # what is known of each evaluation, and the tensor
        self.written = 0.0  # when some were written last

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
        known = {"evaluation": hit.index, "step": hit.step, "rounds": list(self.where())}
        if is_tensor(value) and can_wait(value):
            known["requires_grad"] = value.requires_grad
            self.kept += value.numel()
            self.waiting.append((known, value.detach().clone() if self.kept <= MOST_KEPT else value.detach()))
        else:
            seen = numbers(value)
            if seen is None:
                return self.unsure(no_numbers(value, "watch one of them, as NAME[0]@FILE:LINE"))
            self.waiting.append(({**known, **seen.brief()}, None))
        if len(self.waiting) >= MOST_WAITING or self.kept > MOST_KEPT or time.monotonic() > self.written + MOST_LATE:
            self.write()

    def write(self):
        """Writes the evaluations that wait. Where the time of the run is over meanwhile, end begins anew."""
        try:
            clip = self.clip if self.target["code"] == "ratio" else None
            tensors = iter(numbers_together([tensor for _, tensor in self.waiting if tensor is not None], clip))
            lines = [known if tensor is None else {**known, **next(tensors)} for known, tensor in self.waiting]
            folder = os.path.join(self.run.request["kept"], self.run.name)
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "place-%d.jsonl" % self.target["id"]), "a", encoding="utf-8") as file:
                file.writelines(map(_line, lines))
            self.tell(lines[-1])
        finally:
            self.waiting, self.kept = [], 0

    def tell(self, last):
        """Tells whoever looks on what the place was last, once in a while."""
        now, mean = time.monotonic(), last.get("mean")
        if now > self.written + MOST_LATE:
            self.written = now
            if mean is not None and mean - mean == 0:
                self.run.events.send("observation", id=self.target["id"], hit=last["evaluation"], step=last["step"], seen={"mean": mean})

    def end(self):
        if self.waiting:
            self.write()

    def become_child(self):
        """Leaves to the first process what it has seen."""
        self.waiting, self.kept = [], 0

    def holds(self):
        return "it was written down"


def _line(known):
    try:
        return encode(known) + "\n"
    except ValueError:  # of JSON's numbers none is NaN or infinite
        return encode({k: str(v) if isinstance(v, float) and v - v != 0 else v for k, v in known.items()}) + "\n"
