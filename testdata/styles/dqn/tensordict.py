"""DQN over nested batches like TensorDict: td["next", "reward"]."""

import copy

import torch
import torch.nn as nn


class Batch:
    def __init__(self, items, size):
        self.items_, self.size = items, size

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.items_[key]
        if isinstance(key, tuple) and isinstance(key[0], str):
            value = self.items_[key[0]]
            return value[key[1]] if len(key) == 2 else value
        return Batch({k: v[key] for k, v in self.items_.items()}, len(key))

    def __setitem__(self, key, value):
        if isinstance(key, tuple):
            self.items_[key[0]][key[1]] = value
        else:
            self.items_[key] = value

    @classmethod
    def cat(cls, batches):
        out = {}
        for k, v in batches[0].items_.items():
            parts = [b.items_[k] for b in batches]
            out[k] = cls.cat(parts) if isinstance(v, Batch) else torch.cat(parts)
        return cls(out, sum(b.size for b in batches))


class QValueActor(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_obs, 64), nn.ELU(), nn.Linear(64, n_act))
        # bug DIST012: self.net = nn.Sequential(nn.Linear(n_obs, 64), nn.ELU(), nn.Linear(64, n_act), nn.ReLU())
        self.n_act = n_act

    def forward(self, td):
        td["action_value"] = self.net(td["observation"])
        return td

    @torch.no_grad()
    def explore(self, td, eps):
        greedy = self(td)["action_value"].argmax(-1)
        random = torch.randint_like(greedy, self.n_act)
        td["action"] = torch.where(torch.rand(greedy.shape) < eps, random, greedy)
        return td


class DQNLoss(nn.Module):
    def __init__(self, actor, gamma=0.95):
        super().__init__()
        self.value_network = actor
        self.target_value_network = copy.deepcopy(actor).requires_grad_(False)
        self.gamma = gamma
        self.loss_fn = nn.SmoothL1Loss()

    def forward(self, td):
        pred = self.value_network.net(td["observation"]).gather(-1, td["action"].unsqueeze(-1)).squeeze(-1)
        nxt = td["next"]
        with torch.no_grad():
            next_value = self.target_value_network.net(nxt["observation"]).max(-1).values
            target = nxt["reward"] + self.gamma * (1 - nxt["terminated"]) * next_value
        return Batch({"loss": self.loss_fn(pred, target), "td_error": (pred - target).abs().detach()}, td.size)


class SoftUpdate:
    def __init__(self, loss_module, eps):
        self.loss_module, self.eps = loss_module, eps

    @torch.no_grad()
    def step(self):
        source = self.loss_module.value_network.parameters()
        for t, s in zip(self.loss_module.target_value_network.parameters(), source):
            t.mul_(self.eps).add_(s, alpha=1 - self.eps)


def env_step(td):
    x = td["observation"] + 0.2 * (td["action"].float().unsqueeze(-1) - 1)
    reached = (x.abs() < 0.1).squeeze(-1)
    td["next"] = Batch({"observation": x, "reward": reached.float(), "terminated": reached.float()}, td.size)
    return td


def main(iterations=400, envs=16):
    actor = QValueActor(1, 3)
    loss_module = DQNLoss(actor)
    updater = SoftUpdate(loss_module, 0.99)
    optim = torch.optim.Adam(actor.parameters(), lr=1e-3)
    storage, obs = [], torch.rand(envs, 1) * 2 - 1
    for it in range(iterations):
        td = env_step(actor.explore(Batch({"observation": obs}, envs), max(0.05, 1 - it / 200)))
        storage.append(Batch({k: td[k] for k in ("observation", "action", "next")}, envs))
        storage = storage[-200:]
        ended = td["next"]["terminated"].unsqueeze(-1) > 0
        obs = torch.where(ended, torch.rand(envs, 1) * 2 - 1, td["next"]["observation"])
        picked = [storage[i] for i in torch.randint(len(storage), (4,)).tolist()]
        losses = loss_module(Batch.cat(picked))
        optim.zero_grad()
        losses["loss"].backward()
        nn.utils.clip_grad_norm_(actor.parameters(), 10)
        # bug LOOP004: optim.step()
        optim.step()
        # and: nn.utils.clip_grad_norm_(actor.parameters(), 10)
        updater.step()
        if it % 50 == 0:
            print(it, losses["loss"].item(), losses["td_error"].mean().item())


if __name__ == "__main__":
    main()
