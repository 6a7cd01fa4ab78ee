"""LOOP077: whether a copy of a network is ever asked for anything.

Confirmed if neither the copy nor one of its layers was called, and its weights were not read. A call refutes.
"""

import sys

from rlvet_harness import Probe


class CopyNeverUsed(Probe):
    """Watches the copy where it is made."""

    enough = 1
    needs = "a copy that is called"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.copies = []
        self.used = 0

    def hit(self, hit):
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(hit.value, torch.nn.Module):
            self.unsure("no network was copied")
            return
        self.copies.append(hit.value)
        for m in hit.value.modules():
            m.register_forward_hook(self.note)
            if hasattr(m, "_register_state_dict_hook"):
                m._register_state_dict_hook(self.note)

    def note(self, *_):
        self.used += 1

    def end(self):
        if self.used:
            self.upheld()
        elif self.copies:
            self.confirm("no copy was called, and no weights of one were read", copies=len(self.copies))

    def holds(self):
        return "the copy was used"
