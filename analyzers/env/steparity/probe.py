"""ENV001: whether the unpacking of step's result raises."""

from rlvet_harness import Probe


class StepArity(Probe):
    """Watches the call of step."""

    enough = 1

    def failed(self, error):
        if isinstance(error, ValueError) and "values to unpack" in str(error):
            return "the statement raised %s" % error
        return None

    def holds(self):
        return "the result was unpacked"
