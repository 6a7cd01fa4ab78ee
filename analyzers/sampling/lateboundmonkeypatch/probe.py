"""DIST020: checks which function runs in place of the original method.

Confirmed if it belongs to a class that is neither the object's own nor one of its bases.
Confirmed, too, if it is bound to another object. Refuted if it is the object's own.
"""

import sys

from rlvet_harness import Probe


class LateBoundMonkeypatch(Probe):
    """Watches the variable through which the original method is called."""

    enough = 1
    needs = "a method of the object that it runs for"

    def hit(self, hit):
        owner = self.owner()
        where = getattr(hit.value, "__qualname__", "").rpartition(".")[0]
        if owner is None or not where or "<" in where:
            self.unsure("the function that ran is not a method of a class")
            return
        classes = [c.__name__ for c in type(owner).__mro__]
        self.show(runs=hit.value.__qualname__, of=classes[0])
        if where.rpartition(".")[2] not in classes:
            self.confirm("a method of %s ran for an object of class %s" % (where, classes[0]), runs=hit.value.__qualname__)
        elif getattr(hit.value, "__self__", owner) is not owner:
            self.confirm("the method of another %s ran" % classes[0], runs=hit.value.__qualname__)
        else:
            self.upheld()

    def owner(self):
        """Returns the object whose method was called: the frame's first argument."""
        frame = sys._getframe()
        while frame is not None and not self.run.is_program(frame.f_code.co_filename):
            frame = frame.f_back
        names = frame.f_code.co_varnames[: frame.f_code.co_argcount] if frame is not None else ()
        return frame.f_locals.get(names[0]) if names else None

    def holds(self):
        return "the object's own method ran"
