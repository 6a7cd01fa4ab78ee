"""Settings: numbers that a program defines, and a second run in which one is doubled.

The program runs again under the same seed with twice the number (with 1 if it is 0).
The same losses and trained parameters, bit for bit, confirm that nothing reads it. Different ones refute, if a
third, unchanged run equals the first. For a field of a class only the default is doubled:
the run shows nothing if an object has its own value, if no object is alive at the end, or
if the option is given on the command line.
"""

import gc
import sys

from .probe import Probe


class Setting(Probe):
    """Watches a number at its definition, and a run in which it is doubled. Rules name it by what."""

    what = "setting"
    twin = True
    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.owner = None  # the module's names and the class, if it is a field

    def hit(self, hit):
        value = hit.value
        if hasattr(value, "option_strings"):
            self.option(value)
            return
        self.show(**{self.what: value if isinstance(value, (int, float)) else repr(value)[:80]})
        frame = self.frame()
        if self.owner is None and frame is not None and "__qualname__" in frame.f_locals and frame.f_locals is not frame.f_globals:
            self.owner = frame.f_globals, frame.f_locals["__qualname__"], value

    def option(self, action):
        """Looks at an option of argparse: the second run doubles its default."""
        self.show(**{self.what: action.default})
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
                f"a second run with another {self.what} gave bit-identical losses and parameters",
                losses=len(self.run.losses), steps=self.run.steps,
            )
        elif self.depends:
            self.upheld()
        elif self.depends is None:
            self.unsure("no second run was made because this one did not end by itself")

    def default_counts(self):
        """Reports whether objects of the class, if it is a field, have the default."""
        if self.owner is None:
            return True
        names, name, default = self.owner
        made = [o for o in gc.get_objects() if type(o) is names.get(name)]
        field = self.target["text"].split(":")[0].split("=")[0].strip()
        if made and all(getattr(o, field, None) == default for o in made):
            return True
        self.unsure("no object uses the default of this field, and only the default can be changed")
        return False

    def holds(self):
        return f"a second run with another {self.what} gave different losses or parameters"
