"""VAL061: which of two networks an optimizer holds.

It confirms if an optimizer that has stepped holds the network whose weights are overwritten,
and none holds the tensors that it loads. A network that no optimizer holds, and that nothing but loading changes, refutes.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import same_numbers


class OnlineLoadsTarget(Probe):
    """Watches a call of load_state_dict."""

    enough = 1
    needs = "a network that no optimizer holds and nothing else changes, after steps of an optimizer"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.loaded = {}  # by identity: a network that no optimizer holds, with its parameters after it was loaded
        self.moved = False

    def imported(self, torch):
        load, probe = torch.nn.Module.load_state_dict, self

        def look_and_load(network, *args, **kwargs):
            if id(network) in probe.loaded:
                probe.guarded(probe.look, *probe.loaded[id(network)])
            return load(network, *args, **kwargs)

        torch.nn.Module.load_state_dict = look_and_load

    def look(self, network, before):
        """Notes whether something else than loading changed a network: it may be trained by hand."""
        self.moved = self.moved or any(not same_numbers(p, b) for p, b in zip(network.parameters(), before))

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
            if not held:
                self.loaded[id(network)] = (network, [p.detach().clone() for p in network.parameters()])

    def end(self):
        for network, before in self.loaded.values():
            self.look(network, before)
        if self.moved:
            self.unsure("no optimizer holds the network that was overwritten, but something else than loading changes it")

    def holds(self):
        return "no optimizer holds the network that was overwritten"
