"""KL018: how far the policy moves from its start, and which other networks are evaluated.

The first inputs of the policy are kept with its log-probabilities. At the end the policy is
evaluated on them again. It confirms if the KL of now to then is more than 0.1 nats per
token, an untrained network (the reward model) was evaluated, no frozen copy of the policy
was, and the graph of the loss has no clip. A copy refutes; a clip may be one of something else.
"""

import gc
import sys

from rlvet_harness import Probe
from rlvet_harness.graph import leaves, nodes

FAR = 0.1  # nats per token
CLIPS = ("Clamp", "Minimum", "Maximum", "Where")


class NoKLNoClip(Probe):
    """Watches the loss."""

    needs = "a frozen copy of the policy that is evaluated along"

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
        """Finds the policy and the other networks, and hooks their calls."""
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
        """Evaluates the current policy on the kept inputs, without dropout."""
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
            self.unsure("no evaluation of the policy on its own inputs was observed")
            return
        now = self.log_probs()
        self.kl = float((now.exp() * (now - self.before)).sum(-1).mean())
        self.show(kl_from_the_first_policy=self.kl, clipped=self.clipped, frozen_copies=self.count(self.copies), other_networks=self.count(self.judges))
        if self.kl > FAR and not self.clipped and not self.count(self.copies) and self.count(self.judges):
            self.confirm("the policy moved far from its start, with neither a frozen copy nor a clip", nats_per_token=self.kl, steps=self.run.steps)
        elif self.count(self.copies):
            self.upheld(self.enough)

    def count(self, networks):
        return sum(id(n) in self.evaluated for n in networks)

    def holds(self):
        return "a frozen copy of the policy was evaluated too"


def _outermost(kind):
    """Returns the networks of the program that are not layers of others."""
    every = [o for o in gc.get_objects() if isinstance(o, kind)]
    inner = {id(layer) for network in every for layer in network.modules() if layer is not network}
    return [n for n in every if id(n) not in inner]


def _shapes(network):
    return [tuple(p.shape) for p in network.parameters()]
