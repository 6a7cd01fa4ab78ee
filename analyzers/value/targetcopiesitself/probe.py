"""VAL005: whose tensors a network loads.

It confirms if every tensor of the state that is loaded is the memory of the network itself.
Tensors of another network refute.
"""

from rlvet_harness import Probe


class TargetCopiesItself(Probe):
    """Watches a call of load_state_dict."""

    enough = 1

    def hit(self, hit):
        network, state = hit.part("receiver"), hit.part("arg0", "state_dict")
        if not hasattr(network, "state_dict") or not isinstance(state, dict) or not state:
            self.unsure("the network, or what it loads, was not seen")
            return
        own = network.state_dict()
        same = sum(name in own and hasattr(t, "data_ptr") and t.data_ptr() == own[name].data_ptr() for name, t in state.items())
        self.show(tensors=len(state), its_own=same)
        if same == len(state):
            self.confirm("all that the network loaded was its own", tensors=same)

    def holds(self):
        return "the network loaded the tensors of another"
