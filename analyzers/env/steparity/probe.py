"""ENV001: whether the unpacking of step's result raises."""

import dis

from rlvet_harness import Probe

PASSED = ("CACHE", "NOP", "PRECALL", "EXTENDED_ARG")  # steps that do nothing


class StepArity(Probe):
    """Watches the call of step."""

    enough = 1
    needs = "a result that is taken apart where it is called, into as many names as it has parts"

    def hit(self, hit):
        wanted = unpacked(self.frame())
        self.upheld(isinstance(hit.value, tuple) and wanted == len(hit.value))

    def failed(self, error):
        if isinstance(error, ValueError) and "values to unpack" in str(error):
            return "the statement raised %s" % error
        return None

    def holds(self):
        return "the result was unpacked"


def unpacked(frame):
    """Returns into how many parts the code of a frame takes apart what it is about to get; None where it does something else with it."""
    behind = (step for step in dis.get_instructions(frame.f_code) if step.offset > frame.f_lasti and step.opname not in PASSED)
    following = next(behind, None)
    return following.argval if following is not None and following.opname == "UNPACK_SEQUENCE" else None
