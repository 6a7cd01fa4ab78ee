"""VAL061: which of two networks an optimizer holds.

It confirms if an optimizer that has stepped holds the network whose weights are overwritten,
and none holds the tensors that it loads. A network that no optimizer holds refutes.
"""

from rlvet_harness import Probe


class OnlineLoadsTarget(Probe):
    """Watches a call of load_state_dict."""

    enough = 1
    needs = "a network that no optimizer holds, after steps of an optimizer"

    def hit(self, hit):
        network, state = hit.part("receiver"), hit.part("arg0", "state_dict")
        if not hasattr(network, "parameters") or not isinstance(state, dict) or not self.run.steps:
            self.unsure("the network was not seen, or nothing had been trained yet")
            return
        held = sum(map(self.run.owns, network.parameters()))
        own = {p.data_ptr() for p in network.parameters()}
        from_itself = sum(t.data_ptr() in own for t in state.values() if hasattr(t, "data_ptr"))
        self.show(parameters_of_an_optimizer=held)
        if held and not from_itself:
            self.confirm("weights that an optimizer had trained were overwritten", parameters=held, steps=self.run.steps)
        else:
            self.upheld(not held)

    def holds(self):
        return "no optimizer holds the network that was overwritten"
