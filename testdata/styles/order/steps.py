import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

NUM_ENVS = 8
STEPS = 64
GAMMA, LAM = 0.99, 0.95
CLIP = 0.2


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_act):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, n_act))
        self.v = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 1))

    def dist(self, obs):
        return Categorical(logits=self.pi(obs))

    def value(self, obs):
        return self.v(obs).squeeze(-1)


class Rollout:
    def __init__(self, obs_dim):
        self.obs = np.zeros((STEPS, NUM_ENVS, obs_dim), dtype=np.float32)
        self.actions = np.zeros((STEPS, NUM_ENVS), dtype=np.int64)
        self.logps = np.zeros((STEPS, NUM_ENVS), dtype=np.float32)
        self.rewards = np.zeros((STEPS, NUM_ENVS), dtype=np.float32)
        self.values = np.zeros((STEPS, NUM_ENVS), dtype=np.float32)
        self.dones = np.zeros((STEPS, NUM_ENVS), dtype=np.float32)

    def gae(self, last_value):
        adv = np.zeros((STEPS, NUM_ENVS), dtype=np.float32)
        running = np.zeros(NUM_ENVS, dtype=np.float32)
        for t in reversed(range(STEPS)):
            nxt = last_value if t == STEPS - 1 else self.values[t + 1]
            nonterminal = 1.0 - self.dones[t]
            delta = self.rewards[t] + GAMMA * nxt * nonterminal - self.values[t]
            running = delta + GAMMA * LAM * nonterminal * running
            adv[t] = running
        return adv

    def flat(self, last_value):
        adv = self.gae(last_value)
        ret = adv + self.values
        swap = lambda x: torch.as_tensor(x.swapaxes(0, 1).reshape(STEPS * NUM_ENVS, *x.shape[2:]))
        return (
            swap(self.obs),
            swap(self.actions),
            swap(self.logps),
            swap(adv),
            # bug OFF070: torch.as_tensor(adv.reshape(-1)),
            swap(ret),
        )


def train(updates=100):
    envs = gym.make_vec("CartPole-v1", num_envs=NUM_ENVS)
    net = ActorCritic(4, 2)
    opt = torch.optim.Adam(net.parameters(), lr=3e-4, eps=1e-5)
    obs, _ = envs.reset(seed=1)
    for update in range(updates):
        buf = Rollout(4)
        for t in range(STEPS):
            with torch.no_grad():
                x = torch.as_tensor(obs, dtype=torch.float32)
                d = net.dist(x)
                a = d.sample()
                buf.obs[t] = obs
                buf.actions[t] = a.numpy()
                buf.logps[t] = d.log_prob(a).numpy()
                buf.values[t] = net.value(x).numpy()
            obs, r, term, trunc, _ = envs.step(a.numpy())
            buf.rewards[t] = r
            buf.dones[t] = np.logical_or(term, trunc)
        with torch.no_grad():
            last = net.value(torch.as_tensor(obs, dtype=torch.float32)).numpy()
        b_obs, b_act, b_logp, b_adv, b_ret = buf.flat(last)
        for _ in range(4):
            for idx in torch.randperm(STEPS * NUM_ENVS).split(128):
                d = net.dist(b_obs[idx])
                ratio = (d.log_prob(b_act[idx]) - b_logp[idx]).exp()
                a = b_adv[idx]
                a = (a - a.mean()) / (a.std() + 1e-8)
                pg = -torch.min(ratio * a, ratio.clamp(1 - CLIP, 1 + CLIP) * a).mean()
                vl = (net.value(b_obs[idx]) - b_ret[idx]).pow(2).mean()
                loss = pg + 0.5 * vl - 0.01 * d.entropy().mean()
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                opt.step()


if __name__ == "__main__":
    train()
