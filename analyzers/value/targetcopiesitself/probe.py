"""VAL005: whose tensors a network loads.

It confirms if every tensor of the state that is loaded is the memory of the network itself.
Parameters of another network refute. Where the weights are taken for later, the dict is kept
with a copy of its tensors: it confirms if they have changed at the end of the run.
"""

import gc
import sys

from rlvet_harness import Probe

LOOKED = 3  # evaluations at which all parameters of the program are looked at


class TargetCopiesItself(Probe):
    """Watches a call of load_state_dict."""

    enough = 1
    needs = "parameters of another network that are loaded"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.snapshots = []  # dicts of weights that were kept, with copies

    def hit(self, hit):
        if isinstance(hit.value, dict):
            self.snapshots.append((hit.value, {name: t.detach().clone() for name, t in hit.value.items() if hasattr(t, "detach")}))
            self.snapshots = self.snapshots[-LOOKED:]
            return
        network, state = hit.part("receiver"), hit.part("arg0", "state_dict")
        if not hasattr(network, "state_dict") or not isinstance(state, dict) or not state:
            self.unsure("the network, or what it loads, was not seen")
            return
        own = network.state_dict()
        same = sum(name in own and hasattr(t, "data_ptr") and t.data_ptr() == own[name].data_ptr() for name, t in state.items())
        self.show(tensors=len(state), its_own=same)
        if same == len(state):
            self.confirm("all that the network loaded was its own", tensors=same)
        elif not same and self.hits <= LOOKED:
            loaded = {t.data_ptr() for t in state.values() if hasattr(t, "data_ptr")}
            kind = sys.modules["torch"].nn.Parameter
            self.upheld(any(isinstance(p, kind) and p.data_ptr() in loaded for p in gc.get_objects()))

    def end(self):
        for kept, copies in self.snapshots:
            changed = sum(not bool((kept[name] == t).all()) for name, t in copies.items())
            if changed:
                self.confirm("the weights that were kept changed with the network", tensors=changed)
                return

    def holds(self):
        return "the network loaded the tensors of another"
