"""PPO whose rollout, minibatches and losses are dicts."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal

CFG = dict(envs=8, horizon=64, gamma=0.99, lam=0.95, clip=0.2, vf=0.5, ent=0.0005, epochs=4, minibatches=4, lr=3e-4, max_norm=0.5)


class PointEnv:
    """A point that should be held at the origin."""

    def __init__(self, n):
        self.n = n
        self.t = np.zeros(n)
        self.x = np.random.randn(n, 2).astype(np.float32)

    def obs(self):
        return self.x.copy()

    def step(self, a):
        self.x = self.x + 0.1 * np.clip(a, -1, 1)
        self.t += 1
        reward = -np.square(self.x).sum(1)
        done = self.t >= 50
        self.x[done] = np.random.randn(int(done.sum()), 2)
        self.t[done] = 0
        return self.obs(), reward.astype(np.float32), done.astype(np.float32)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 2))
        self.log_std = nn.Parameter(torch.zeros(2))
        self.v = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 1))

    def dist(self, obs):
        return Normal(self.mu(obs), self.log_std.exp())

    def value(self, obs):
        return self.v(obs).squeeze(-1)


def rollout(env, agent):
    data = {k: [] for k in ("obs", "act", "logp", "val", "rew", "done")}
    obs = torch.from_numpy(env.obs())
    for _ in range(CFG["horizon"]):
        with torch.no_grad():
            # bug OBJ007, ADV017, OBJ011: if True:
            d = agent.dist(obs)
            act = d.sample()
            step = {"obs": obs, "act": act, "logp": d.log_prob(act).sum(-1), "val": agent.value(obs)}
        nxt, rew, done = env.step(act.numpy())
        step["rew"] = torch.from_numpy(rew)
        step["done"] = torch.from_numpy(done)
        for k, v in step.items():
            data[k].append(v)
        obs = torch.from_numpy(nxt)
    batch = {k: torch.stack(v) for k, v in data.items()}
    with torch.no_grad():
        batch["last"] = agent.value(obs)
    return batch


def add_gae(batch):
    adv = torch.zeros_like(batch["rew"])
    last = torch.zeros_like(batch["last"])
    for t in reversed(range(CFG["horizon"])):
        nextval = batch["last"] if t == CFG["horizon"] - 1 else batch["val"][t + 1]
        alive = 1.0 - batch["done"][t]
        delta = batch["rew"][t] + CFG["gamma"] * nextval * alive - batch["val"][t]
        last = delta + CFG["gamma"] * CFG["lam"] * alive * last  # found: ADV017
        adv[t] = last
    batch["adv"] = adv
    batch["ret"] = adv + batch["val"]
    return batch


def minibatches(batch):
    flat = {k: v.flatten(0, 1) for k, v in batch.items() if k != "last"}
    for idx in torch.randperm(len(flat["adv"])).chunk(CFG["minibatches"]):
        yield {k: v[idx] for k, v in flat.items()}


def losses(agent, mb):
    d = agent.dist(mb["obs"])
    adv = (mb["adv"] - mb["adv"].mean()) / (mb["adv"].std() + 1e-8)
    # bug ADV009: adv = (mb["adv"] - mb["adv"].mean()) / mb["adv"].std()
    logratio = d.log_prob(mb["act"]).sum(-1) - mb["logp"]  # found: OBJ001, OBJ007
    # bug OBJ020: logratio = mb["logp"] - d.log_prob(mb["act"]).sum(-1)
    ratio = logratio.exp()  # found: OBJ020
    # bug OBJ001: ratio = logratio
    lo, hi = 1 - CFG["clip"], 1 + CFG["clip"]
    # bug OBJ022: lo, hi = -CFG["clip"], CFG["clip"]
    pg = torch.max(-adv * ratio, -adv * torch.clamp(ratio, lo, hi)).mean()  # found: OBJ022, OBJ011
    # bug OBJ002: pg = torch.min(-adv * ratio, -adv * torch.clamp(ratio, lo, hi)).mean()
    out = {"policy": pg, "value": CFG["vf"] * F.mse_loss(agent.value(mb["obs"]), mb["ret"])}
    out["entropy"] = -CFG["ent"] * d.entropy().sum(-1).mean()
    # bug OBJ012: out["entropy"] = CFG["ent"] * d.entropy().sum(-1).mean()
    return out


def main():
    env, agent = PointEnv(CFG["envs"]), Agent()
    opt = torch.optim.Adam(agent.parameters(), lr=CFG["lr"])
    for it in range(30):
        batch = add_gae(rollout(env, agent))
        for _ in range(CFG["epochs"]):
            for mb in minibatches(batch):
                parts = losses(agent, mb)
                total = parts["policy"] + parts["value"] + parts["entropy"]  # found: OBJ012
                opt.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), CFG["max_norm"])
                # bug LOOP004: opt.step()
                opt.step()
                # and: nn.utils.clip_grad_norm_(agent.parameters(), CFG["max_norm"])
        print(it, {k: round(v.item(), 4) for k, v in parts.items()}, batch["rew"].mean().item())


if __name__ == "__main__":
    main()
