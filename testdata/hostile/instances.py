"""Objects whose methods are attributes of each other."""
import torch


class Net(torch.nn.Module):
    def __init__(self, peer=None):
        super().__init__()
        self.peer = peer or self
        self.train = self.train
        self.eval = self.peer.eval
        self.step = self.peer.step if peer else self.run

    def run(self, x):
        return self.step(self.peer.run(x)) if x else self.eval()

    def forward(self, x):
        return self.forward(self.peer(x)) + self.peer.train(x)


a, b = Net(), Net()
while input():
    a, b = Net(b), Net(a)
    a.peer, b.peer = b, a
    a.eval, b.eval = b.eval, a.train
    a.train, b.train = (a.eval if a else b.eval), (b.eval if b else a.train)
    a.run, b.step = b.step, a.run
    y = a(b(1)) + a.run(b.run(1)) + a.eval().train().eval()


def advantages(rewards):
    r = torch.tensor(rewards)
    return (r - r.mean()) / r.std()  # bug: ADV009


print(advantages([1.0, 0.0, 2.0]))
