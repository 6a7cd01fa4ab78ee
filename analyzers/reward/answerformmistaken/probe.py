"""RWD002: whether a list of messages is measured or searched as if it were text."""

from rlvet_harness import Probe


class AnswerFormMistaken(Probe):
    """Watches what the length, the search or the item is taken of."""

    enough = 1
    needs = "answers whose form the program itself says: prompts that it makes, or a function for texts"
    scores = True

    def hit(self, hit):
        read = hit.part("arg0", "right", "receiver")
        if isinstance(read, list) and read and isinstance(read[0], dict):
            self.confirm("what is read as text is a list of %d message(s)" % len(read))
        elif isinstance(read, str) and self.run.scoring and self.run.scoring.form_known:
            self.upheld()

    def failed(self, error):
        if isinstance(error, (TypeError, AttributeError)):
            return "the completion is not of this form"
        return None

    def holds(self):
        return "completions were read as what they are"
