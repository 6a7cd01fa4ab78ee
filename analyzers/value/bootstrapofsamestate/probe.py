"""VAL090: whether a target network is asked of the states that the network in training is fitted at.

The inputs with which modules whose parameters an optimizer holds are called with gradients are kept until the next step. Confirmed if the
flagged call got one of them.
"""

from rlvet_harness import Probe

MOST = 64  # inputs that are kept


class BootstrapOfSameState(Probe):
    """Watches the call of the target network."""

    enough = 10
    needs = "states of the target network, and others of the network in training, before one step"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.asked, self.fitted = [], []

    def imported(self, torch):
        def before(module, args):
            if args and hasattr(args[0], "shape") and torch.is_grad_enabled() and any(self.run.owns(p) for p in module.parameters()):
                self.fitted = [*self.fitted[-MOST:], args[0].detach()]

        torch.nn.modules.module.register_module_forward_pre_hook(before)

    def hit(self, hit):
        state = hit.part("arg0")
        if hasattr(state, "shape"):
            self.asked = [*self.asked[-MOST:], state.detach()]

    def stepped(self, optimizer):
        for state in self.asked:
            if any(x.shape == state.shape and bool((x == state).all()) for x in self.fitted):
                self.confirm("the network in training was fitted at the very states of the target", rows=int(state.shape[0]))
                return
        shapes = [x.shape for x in self.fitted]
        self.upheld(sum(state.shape in shapes for state in self.asked))
        self.asked, self.fitted = [], []

    def holds(self):
        return "the target network was asked of other states than the one in training"
