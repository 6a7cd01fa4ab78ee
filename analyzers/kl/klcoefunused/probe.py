"""KL017: the coefficient, and a second run in which it is doubled.

The program runs again under the same seed with twice the coefficient (with 1 where it is
0). The same losses and the same trained parameters, to the bit, confirm; others refute, if
a third, unchanged run is like the first. Of a field of a class only the default is
doubled: where an object has a value of its own, or none is alive at the end, the run can
not tell; nor where an option is given on the command line.
"""

import gc
import sys

from rlvet_harness import Probe


class KLCoefUnused(Probe):
    """Watches a coefficient where it is bound."""

    twin = True
    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.owner = None  # the module's names and the class, where the coefficient is a field

    def hit(self, hit):
        value = hit.value
        if hasattr(value, "option_strings"):
            self.option(value)
            return
        self.show(coefficient=value if isinstance(value, (int, float)) else repr(value)[:80])
        frame = self.frame()
        if self.owner is None and frame is not None and "__qualname__" in frame.f_locals and frame.f_locals is not frame.f_globals:
            self.owner = frame.f_globals, frame.f_locals["__qualname__"], value

    def option(self, action):
        """Looks at an option of argparse: its default is what the other run doubles."""
        self.show(coefficient=action.default)
        if any(argument.split("=")[0] in action.option_strings for argument in sys.argv[1:]):
            self.unsure("the option is given on the command line, and only its default can be changed")

    def frame(self):
        """Returns the frame of the program that is being executed."""
        frame = sys._getframe()
        while frame is not None and not self.run.is_program(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def end(self):
        if self.depends is False and self.default_counts():
            self.confirm(
                "a second run with another coefficient came to the same losses and parameters, to the bit",
                losses=len(self.run.losses), steps=self.run.steps,
            )
        elif self.depends is None:
            self.unsure("no second run was made, since this one did not end by itself")

    def default_counts(self):
        """Reports whether objects of the class, if it is a field, have the default."""
        if self.owner is None:
            return True
        names, name, default = self.owner
        made = [o for o in gc.get_objects() if type(o) is names.get(name)]
        field = self.target["text"].split(":")[0].split("=")[0].strip()
        if made and all(getattr(o, field, None) == default for o in made):
            return True
        self.unsure("no object has the default of this field, which is all that can be changed")
        return False

    def holds(self):
        return "a second run with another coefficient came to other losses or parameters"
