"""PPO with a NumPy buffer and separate policy and value optimisers.

Trap: the ratio and the KL estimate are made in one helper that returns loss and info; the KL is a difference of
log-probs with the old one first, which is right for the estimate E_old[log old - log new] and is not a ratio. The
buffer normalises with NumPy's std (population, plus epsilon).
"""

import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical
from torch.optim import Adam


class Corridor:
    """Walk to the right end of a corridor; each step costs a little."""

    length, limit = 8, 40
    observation_size, actions = 2, 3

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.place, self.clock = float(self.rng.integers(1, 4)), 0
        return self.observe()

    def observe(self):
        return np.array([self.place / self.length, self.clock / self.limit], dtype=np.float32)

    def step(self, action):
        self.clock += 1
        self.place = max(0.0, self.place + (action - 1) + 0.2 * self.rng.normal())
        terminated = self.place >= self.length
        return self.observe(), (1.0 if terminated else -0.02), terminated, self.clock >= self.limit


def discount_cumsum(x, discount):
    out = np.zeros_like(x)
    running = 0.0
    for t in reversed(range(len(x))):
        running = x[t] + discount * running
        out[t] = running
    return out


class PPOBuffer:
    def __init__(self, obs_dim, size, gamma=0.99, lam=0.95):
        self.obs_buf = np.zeros((size, obs_dim), dtype=np.float32)
        self.act_buf = np.zeros(size, dtype=np.int64)
        self.adv_buf, self.rew_buf, self.ret_buf, self.val_buf, self.logp_buf = (
            np.zeros(size, dtype=np.float32) for _ in range(5))
        self.gamma, self.lam = gamma, lam
        self.ptr, self.path_start_idx, self.max_size = 0, 0, size

    def store(self, obs, act, rew, val, logp):
        self.obs_buf[self.ptr] = obs
        self.act_buf[self.ptr] = act
        self.rew_buf[self.ptr] = rew
        self.val_buf[self.ptr] = val
        self.logp_buf[self.ptr] = logp
        self.ptr += 1

    def finish_path(self, last_val):
        """Close a trajectory; last_val is zero after a real end, V(s) where it was cut."""
        path = slice(self.path_start_idx, self.ptr)
        rews = np.append(self.rew_buf[path], last_val)
        vals = np.append(self.val_buf[path], last_val)
        deltas = rews[:-1] + self.gamma * vals[1:] - vals[:-1]
        self.adv_buf[path] = discount_cumsum(deltas, self.gamma * self.lam)
        self.ret_buf[path] = discount_cumsum(rews, self.gamma)[:-1]
        self.path_start_idx = self.ptr

    def get(self):
        assert self.ptr == self.max_size
        self.ptr, self.path_start_idx = 0, 0
        self.adv_buf = (self.adv_buf - np.mean(self.adv_buf)) / (np.std(self.adv_buf) + 1e-8)
        data = dict(obs=self.obs_buf, act=self.act_buf, ret=self.ret_buf, adv=self.adv_buf, logp=self.logp_buf)
        return {k: torch.as_tensor(v.copy()) for k, v in data.items()}


def mlp(sizes, activation, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]
    return nn.Sequential(*layers)


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=(64, 64)):
        super().__init__()
        self.logits_net = mlp([obs_dim, *hidden, act_dim], nn.Tanh)
        self.v_net = mlp([obs_dim, *hidden, 1], nn.Tanh)

    def pi(self, obs, act=None):
        dist = Categorical(logits=self.logits_net(obs))
        return dist, None if act is None else dist.log_prob(act)

    def v(self, obs):
        return torch.squeeze(self.v_net(obs), -1)

    def step(self, obs):
        with torch.no_grad():
            dist, _ = self.pi(obs)
            a = dist.sample()
            return a.item(), self.v(obs).item(), dist.log_prob(a).item()


def compute_loss_pi(ac, data, clip_ratio):
    pi, logp = ac.pi(data["obs"], data["act"])
    ratio = torch.exp(logp - data["logp"])
    clip_adv = torch.clamp(ratio, 1 - clip_ratio, 1 + clip_ratio) * data["adv"]
    loss_pi = -(torch.min(ratio * data["adv"], clip_adv)).mean()
    approx_kl = (data["logp"] - logp).mean().item()
    clipped = ratio.gt(1 + clip_ratio) | ratio.lt(1 - clip_ratio)
    return loss_pi, dict(kl=approx_kl, ent=pi.entropy().mean().item(), cf=clipped.float().mean().item())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--train-iters", type=int, default=40)
    parser.add_argument("--clip-ratio", type=float, default=0.2)
    parser.add_argument("--target-kl", type=float, default=0.015)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    env = Corridor(args.seed)
    ac = ActorCritic(env.observation_size, env.actions)
    pi_optimizer, vf_optimizer = Adam(ac.logits_net.parameters(), lr=3e-4), Adam(ac.v_net.parameters(), lr=1e-3)
    buf = PPOBuffer(env.observation_size, args.steps)

    for epoch in range(args.epochs):
        o, ep_ret, finished = env.reset(), 0.0, []
        for t in range(args.steps):
            a, v, logp = ac.step(torch.as_tensor(o))
            next_o, r, terminated, truncated = env.step(a)
            ep_ret += r
            buf.store(o, a, r, v, logp)
            o = next_o
            cut = truncated or t == args.steps - 1
            if terminated or cut:
                buf.finish_path(0.0 if terminated else ac.step(torch.as_tensor(o))[1])
                finished.append(ep_ret)
                o, ep_ret = env.reset(), 0.0

        data = buf.get()
        for i in range(args.train_iters):
            loss_pi, info = compute_loss_pi(ac, data, args.clip_ratio)
            if info["kl"] > 1.5 * args.target_kl:
                break
            pi_optimizer.zero_grad()
            loss_pi.backward()
            pi_optimizer.step()
        for i in range(args.train_iters):
            vf_optimizer.zero_grad()
            loss_v = ((ac.v(data["obs"]) - data["ret"]) ** 2).mean()
            loss_v.backward()
            vf_optimizer.step()
        print(f"epoch {epoch} return {np.mean(finished):.3f} loss_v {loss_v.item():.4f} {info}")


if __name__ == "__main__":
    main()
