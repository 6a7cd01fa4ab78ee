"""Group-relative policy gradient for a sorting task; short names only."""

import copy
import sys

import torch
import torch.nn as nn

K = 4      # symbols
L = 3      # symbols to sort
G = 6      # answers to each question
E = 0.2
W = 0.02


class N(nn.Module):
    def __init__(self, k, h):
        super().__init__()
        self.a = nn.Embedding(k + 1, h)
        self.b = nn.GRU(h, h, batch_first=True)
        self.c = nn.Linear(h, k)

    def forward(self, x, s=None):
        y, s = self.b(self.a(x), s)
        return self.c(y), s


def q(n):
    x = torch.randint(0, K, (n, L))
    return torch.cat([x, torch.full((n, 1), K)], dim=1)


def r(x, y):
    t, _ = x[:, :L].sort(dim=1)
    return (t == y).all(dim=1).float()


def f(n, x):
    with torch.no_grad():
        z, s = n(x)
        z = z[:, -1]
        out = []
        for _ in range(L):
            y = torch.multinomial(z.softmax(-1), 1)
            out.append(y)
            z, s = n(y, s)
            z = z[:, -1]
    return torch.cat(out, dim=1)


def g(n, x, y):
    t = torch.cat([x, y], dim=1)
    z, _ = n(t[:, :-1])
    z = z[:, L:]
    z = z - z.logsumexp(dim=-1, keepdim=True)
    return torch.gather(z, 2, y[..., None])[..., 0]


def v(x):
    x = x.reshape(-1, G)
    d = x - x.mean(1, keepdim=True)
    d = d / (x.std(1, keepdim=True) + 1e-6)
    return d.flatten()


def main(steps=400, m=8, seed=0):
    torch.manual_seed(seed)
    n = N(K, 48)
    c = copy.deepcopy(n)
    for p in c.parameters():
        p.requires_grad_(False)
    o = torch.optim.AdamW(n.parameters(), lr=1e-3)

    for i in range(steps):
        x = q(m).repeat_interleave(G, dim=0)
        y = f(n, x)
        s = r(x, y)
        a = v(s)
        with torch.no_grad():
            w = g(n, x, y)
            u = g(c, x, y)

        for _ in range(3):
            j = torch.randperm(x.size(0))
            for k in j.chunk(2):
                b = g(n, x[k], y[k])
                d = (b - w[k]).exp()
                e = a[k].unsqueeze(1)
                h = torch.min(d * e, d.clamp(1 - E, 1 + E) * e)
                t = u[k] - b
                t = t.exp() - t - 1
                l = -(h - W * t).mean()
                o.zero_grad()
                l.backward()
                nn.utils.clip_grad_norm_(n.parameters(), 1.0)
                o.step()

        if i % 20 == 0:
            print(i, s.mean().item(), l.item(), t.mean().item())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
