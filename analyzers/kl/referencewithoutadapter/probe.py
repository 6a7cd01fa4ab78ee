"""KL060: whether the model has an adapter for the reference when the run ends."""

from rlvet_harness import Probe


class ReferenceWithoutAdapter(Probe):
    """Keeps the model with its adapters."""

    enough = 1
    needs = "an adapter of the reference in the model"
    model = None

    def hit(self, hit):
        self.model = hit.value

    def end(self):
        adapters = list(getattr(self.model, "peft_config", {}))
        if adapters and "ref" not in adapters:
            self.confirm("the model has the adapters %s, and none for the reference" % ", ".join(adapters))
        elif adapters:
            self.upheld()

    def holds(self):
        return "the reference has an adapter of its own"
