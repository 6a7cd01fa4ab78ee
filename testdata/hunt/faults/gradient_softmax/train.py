# kind: gradient; seeds: 0,1; failing: 0,1
"""Actor-critic that plays rock, paper, scissors against itself."""
import torch
from torch import nn


class LogSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits):
        shifted = logits - logits.amax(dim=-1, keepdim=True)
        logp = shifted - shifted.exp().sum(dim=-1, keepdim=True).log()
        ctx.save_for_backward(logp)
        return logp

    @staticmethod
    def backward(ctx, grad_logp):
        logp, = ctx.saved_tensors
        return grad_logp - logp.exp()  # first bad


class Game:
    """Both sides see the last two moves of the other."""

    def reset(self, n):
        return torch.randint(3, (n, 2)), torch.randint(3, (n, 2))

    def step(self, ours, theirs):
        return torch.tensor([0.0, 1.0, -1.0])[(ours - theirs) % 3]


class Player(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = nn.Embedding(3, 8)
        self.net = nn.Sequential(nn.Linear(16, 32), nn.ELU(), nn.Linear(32, 3))
        self.value = nn.Sequential(nn.Linear(16, 32), nn.ELU(), nn.Linear(32, 1))

    def forward(self, moves):
        x = self.seen(moves).flatten(1)
        return LogSoftmax.apply(self.net(x)), self.value(x)[:, 0]


def main(seed=8):
    torch.manual_seed(seed)
    game, player = Game(), Player()
    optimizer = torch.optim.RMSprop(player.parameters(), lr=1e-3)
    for round_ in range(40):
        ours, theirs = game.reset(64)
        logp, value = player(ours)
        with torch.no_grad():
            other = torch.multinomial(player(theirs)[0].exp(), 1).squeeze(1)
        move = torch.multinomial(logp.detach().exp(), 1)
        reward = game.step(move.squeeze(1), other)
        advantage = reward - value
        loss = -(logp.gather(1, move).squeeze(1) * advantage.detach()).mean() + 0.5 * advantage.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("value", value.mean().item())


if __name__ == "__main__":
    main()
