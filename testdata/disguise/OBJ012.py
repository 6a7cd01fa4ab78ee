"""An entropy bonus with the wrong sign, and coefficients that the program does not know."""

from dataclasses import dataclass

import torch
from torch.distributions import Categorical


@dataclass
class Config:
    bonus: float = 0.0
    width: float = 0.2
    scale: float = 1.0


class Learner:
    def __init__(self, opt, cfg: Config, pull):
        self.opt, self.cfg, self.pull = opt, cfg, pull

    def off(self, z, u, old, w):
        d = Categorical(logits=z)
        r = torch.exp(d.log_prob(u) - old)
        loss = -torch.min(r * w, r.clamp(1 - self.cfg.width, 1 + self.cfg.width) * w).mean()
        loss = loss + self.cfg.bonus * d.entropy().mean()  # bug: OBJ012
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

    def outside(self, z, u, old, w):
        d = Categorical(logits=z)
        r = torch.exp(d.log_prob(u) - old)
        loss = (-torch.min(r * w, r.clamp(0.8, 1.2) * w).mean() + self.pull * d.entropy().mean()) * self.cfg.scale  # bug: OBJ012
        self.opt.step(loss)
