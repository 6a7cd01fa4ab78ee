"""LOOP027: whether the generator that is gone through has anything left.

One that is at its end confirms, once nothing but the flagged line could have taken from it.
"""

import inspect
import types

from rlvet_harness import Probe


class ExhaustedGenerator(Probe):
    """Watches the generator where it is used."""

    enough = 2
    needs = "a collection, or a generator of which nobody has taken"

    def hit(self, hit):
        given = hit.value
        if isinstance(given, (list, tuple, set, dict)):
            self.upheld()
            return
        if isinstance(given, types.GeneratorType):
            if given.gi_frame is None:
                self.confirm("the generator had nothing left")
            self.upheld(inspect.getgeneratorstate(given) == inspect.GEN_CREATED)
            return
        if type(given).__name__ == "chain" and hasattr(given, "__reduce__") and len(given.__reduce__()) == 2:
            if not given.__reduce__()[1]:
                self.confirm("the chain had nothing left")
            return
        if hasattr(given, "__next__"):
            self.unsure("what is left of the iterator cannot be told without taking it")

    def holds(self):
        return "the parameters were all there"
