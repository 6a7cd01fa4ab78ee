"""VAL071: whether a network that follows another one is ever called.

Networks near the flagged expression are looked at: those that no optimizer holds, with parameters of the shapes of one that an optimizer
holds. Confirmed if the parameters of one changed, and it was never called. If all whose parameters changed were called, that refutes.
"""

import sys

from rlvet_harness import Probe

DEPTH = 4  # functions above the expression that are searched


class TargetNeverRead(Probe):
    """Watches the value of the next state."""

    enough = 1
    needs = "networks in sight that took weights of the one in training, each of which was called"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.followers = {}  # by identity: network, its first parameters, calls

    def hit(self, hit):
        networks = self.networks()
        held = [shapes(n) for n in networks if any(self.run.owns(p) for p in n.parameters())]
        for n in networks:
            if id(n) in self.followers or any(self.run.owns(p) for p in n.parameters()) or shapes(n) not in held:
                continue
            calls = []
            for m in n.modules():  # a method of its own may call its layers
                m.register_forward_hook(lambda *_, calls=calls: calls.append(1))
            self.followers[id(n)] = (n, [p.detach().clone() for p in n.parameters()], calls)

    def networks(self):
        """Returns the networks in variables, and in fields of objects in variables."""
        module = sys.modules["torch"].nn.Module
        out, frame = [], self.frame()
        for _ in range(DEPTH):
            if frame is None:
                break
            for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
                held = list(vars(value).values()) if hasattr(value, "__dict__") and not isinstance(value, (type, module, type(sys))) else []
                out += [x for x in [value, *held] if isinstance(x, module) and not any(x is y for y in out)]
            frame = frame.f_back
        return out

    def end(self):
        changed = [
            (n, calls) for n, before, calls in self.followers.values()
            if any(bool((p.detach() != b).any()) for p, b in zip(n.parameters(), before))
        ]
        if not changed:
            self.unsure("no network was seen that follows the one in training")
        elif not any(calls for _, calls in changed):
            self.confirm("a network took the weights of the one in training and was never called", networks=len(changed))
        elif all(calls for _, calls in changed):
            self.upheld()
        else:
            self.unsure("of the networks that took weights of the one in training some were called")

    def holds(self):
        return "the network that follows was called"


def shapes(network):
    return [tuple(p.shape) for p in network.parameters()]
