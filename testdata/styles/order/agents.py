"""MAPPO-ish shared actor on a rendezvous game. Student project."""
import torch
import torch.nn as nn
import torch.optim as optim
import numpy as np

n_agents = 3
horizon = 50
gamma = 0.97


class Rendezvous:
    def reset(self):
        self.pos = np.random.uniform(-1, 1, (n_agents, 2))
        self.t = 0
        return self.observe()

    def observe(self):
        c = self.pos.mean(0)
        return np.concatenate([self.pos, np.tile(c, (n_agents, 1))], 1).astype(np.float32)

    def step(self, acts):
        moves = np.array([[0, 0.1], [0, -0.1], [0.1, 0], [-0.1, 0]])[acts]
        self.pos = self.pos + moves
        dist = np.linalg.norm(self.pos - self.pos.mean(0), axis=1)
        self.t += 1
        return self.observe(), -dist, self.t >= horizon


actor = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 4))
critic = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = optim.Adam(list(actor.parameters()) + list(critic.parameters()), lr=1e-3)
env = Rendezvous()

for episode in range(500):
    obs = env.reset()
    obs_hist = [[] for _ in range(n_agents)]
    act_hist = [[] for _ in range(n_agents)]
    rew_hist = [[] for _ in range(n_agents)]
    done = False
    while not done:
        with torch.no_grad():
            dist = torch.distributions.Categorical(logits=actor(torch.from_numpy(obs)))
            acts = dist.sample().numpy()
        nxt, rew, done = env.step(acts)
        for i in range(n_agents):
            obs_hist[i].append(obs[i])
            act_hist[i].append(acts[i])
            rew_hist[i].append(rew[i])
        obs = nxt

    # returns per agent
    returns = np.zeros((horizon, n_agents), dtype=np.float32)
    for i in range(n_agents):
        g = 0.0
        for t in reversed(range(horizon)):
            g = rew_hist[i][t] + gamma * g
            returns[t, i] = g

    all_obs = torch.tensor(np.concatenate([np.array(o) for o in obs_hist]))
    all_act = torch.tensor(np.concatenate([np.array(a) for a in act_hist]))
    all_ret = torch.tensor(returns.T.reshape(-1))
    # bug OFF070: all_ret = torch.tensor(returns.reshape(-1))

    dist = torch.distributions.Categorical(logits=actor(all_obs))
    logp = dist.log_prob(all_act)
    v = critic(all_obs).squeeze(-1)
    adv = (all_ret - v).detach()
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    loss = -(logp * adv).mean() + 0.5 * ((all_ret - v) ** 2).mean() - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if episode % 25 == 0:
        print(episode, sum(np.sum(r) for r in rew_hist))
