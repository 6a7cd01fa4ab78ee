"""KL018: how far the policy goes from where it began, and what is evaluated beside it.

The inputs on which the policy was evaluated first are kept, with the log-probabilities that it
gave there. At the end it is evaluated on them again: a KL of now to then of more than a
tenth of a nat for each token confirms, where a network that is not trained was evaluated,
the reward, and nothing that would hold the policy back was: no frozen copy of it, and
no clip in the graph of the loss. Any of those refutes, and so does a smaller KL.
"""

import gc
import sys

from rlvet_harness import Probe
from rlvet_harness.graph import leaves, nodes

FAR = 0.1  # nats for each token
CLIPS = ("Clamp", "Minimum", "Maximum", "Where")


class NoKLNoClip(Probe):
    """Watches the loss."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.policy = self.inputs = self.before = None
        self.copies, self.judges, self.evaluated = [], [], set()
        self.clipped = False
        self.kl = 0.0

    def hit(self, hit):
        root = getattr(hit.value, "grad_fn", None)
        if root is None:
            return
        self.clipped = self.clipped or any(c in type(n).__name__ for n in nodes(root, 2000) for c in CLIPS)
        if self.policy is None:
            self.find({id(p) for p in leaves(root) if self.run.owns(p)})
        elif self.before is None and self.inputs is not None:
            self.before = self.log_probs()

    def find(self, trained):
        """Finds the policy and the networks beside it, and has their calls told."""
        networks = _outermost(sys.modules["torch"].nn.Module)
        self.policy = next((n for n in networks if trained and trained <= {id(p) for p in n.parameters()}), None)
        if self.policy is None:
            self.unsure("no network holds all the parameters that the loss trains")
            return
        self.policy.register_forward_hook(self.called)
        shapes = _shapes(self.policy)
        for n in networks:
            if n is not self.policy and _shapes(n) and not any(map(self.run.owns, n.parameters())):
                (self.copies if _shapes(n) == shapes else self.judges).append(n)
                n.register_forward_hook(lambda network, args, out: self.evaluated.add(id(network)))

    def called(self, policy, args, out):
        if self.inputs is None:
            self.inputs = args

    def log_probs(self):
        """Evaluates the policy as it is now on the kept inputs, without noise of dropout."""
        torch, training = sys.modules["torch"], self.policy.training
        self.policy.eval()
        try:
            with torch.no_grad():
                out = self.policy(*self.inputs)
        finally:
            self.policy.train(training)
        out = getattr(out, "logits", out[0] if isinstance(out, tuple) else out)
        return out.float().log_softmax(-1)

    def end(self):
        if self.before is None:
            self.unsure("the policy was not seen to be evaluated on inputs of its own")
            return
        now = self.log_probs()
        self.kl = float((now.exp() * (now - self.before)).sum(-1).mean())
        self.show(kl_from_the_first_policy=self.kl, clipped=self.clipped, frozen_copies=self.count(self.copies), other_networks=self.count(self.judges))
        if self.kl > FAR and not self.clipped and not self.count(self.copies) and self.count(self.judges):
            self.confirm("the policy went far from where it began, and nothing was evaluated that would hold it back", nats_per_token=self.kl, steps=self.run.steps)

    def count(self, networks):
        return sum(id(n) in self.evaluated for n in networks)

    def holds(self):
        if self.clipped:
            return "the loss is clipped"
        if self.count(self.copies):
            return "a frozen copy of the policy was evaluated beside it"
        if not self.count(self.judges):
            return "no other network was evaluated that could be a learned reward"
        return "the policy stayed within a tenth of a nat a token of where it began"


def _outermost(kind):
    """Returns the networks of the program that are no layers of others."""
    every = [o for o in gc.get_objects() if isinstance(o, kind)]
    inner = {id(layer) for network in every for layer in network.modules() if layer is not network}
    return [n for n in every if id(n) not in inner]


def _shapes(network):
    return [tuple(p.shape) for p in network.parameters()]
