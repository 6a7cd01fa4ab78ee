"""QMIX: a monotonic mixer whose weights are made non-negative by abs.

Trap: `abs` of a network's output is a weight of a matrix product; one of the exploration schedules draws actions with
multinomial from softplus scores, non-negative but unnormalised. Double-Q uses the online argmax in the target gather.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

AGENTS, OBS, ACTIONS, STATE = 2, 3, 2, 6


class AgentNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(OBS + AGENTS, 32), nn.ReLU(), nn.Linear(32, ACTIONS))

    def forward(self, obs):
        who = torch.eye(AGENTS).expand(obs.size(0), AGENTS, AGENTS)
        return self.net(torch.cat([obs, who], dim=-1))


class Mixer(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.width = width
        self.w1, self.b1 = nn.Linear(STATE, AGENTS * width), nn.Linear(STATE, width)
        self.w2, self.b2 = nn.Linear(STATE, width), nn.Sequential(nn.Linear(STATE, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, qs, state):
        w1 = torch.abs(self.w1(state)).view(-1, AGENTS, self.width)
        hidden = F.elu(torch.bmm(qs.unsqueeze(1), w1).squeeze(1) + self.b1(state))
        w2 = torch.abs(self.w2(state))
        return ((hidden * w2).sum(dim=1, keepdim=True) + self.b2(state)).squeeze(1)


def play(agent, count, epsilon):
    """Two-step game: the first agent's first move chooses which payoff table the second step uses."""
    state = torch.zeros(count, STATE)
    state[:, 0] = 1.0
    rows = []
    for t in range(2):
        obs = state[:, :OBS].unsqueeze(1).expand(-1, AGENTS, -1)
        with torch.no_grad():
            scores = agent(obs)
            explore = torch.multinomial(F.softplus(scores).flatten(0, 1), 1).view(count, AGENTS)
            greedy = scores.argmax(dim=-1)
        actions = torch.where(torch.rand(count, AGENTS) < epsilon, explore, greedy)
        following = torch.zeros(count, STATE)
        if t == 0:
            following[torch.arange(count), 1 + actions[:, 0]] = 1.0
            reward, ended = torch.zeros(count), torch.zeros(count)
        else:
            table = torch.tensor([[[0.7, 0.7], [0.7, 0.7]], [[0.0, 0.1], [0.1, 1.0]]])
            reward, ended = table[state[:, 2].long(), actions[:, 0], actions[:, 1]], torch.ones(count)
        rows.append((state, actions, reward, following, ended))
        state = following
    return [torch.cat(column) for column in zip(*rows)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=1500)
    args = parser.parse_args()
    torch.manual_seed(0)
    agent, mixer = AgentNet(), Mixer()
    target_agent, target_mixer = copy.deepcopy(agent), copy.deepcopy(mixer)
    parameters = [*agent.parameters(), *mixer.parameters()]
    optimizer = torch.optim.RMSprop(parameters, lr=1e-3)
    for update in range(args.updates):
        epsilon = max(0.05, 1.0 - update / (0.6 * args.updates))
        state, actions, reward, following, ended = play(agent, 32, epsilon)
        obs = state[:, :OBS].unsqueeze(1).expand(-1, AGENTS, -1)
        next_obs = following[:, :OBS].unsqueeze(1).expand(-1, AGENTS, -1)
        chosen = agent(obs).gather(2, actions.unsqueeze(2)).squeeze(2)
        q_total = mixer(chosen, state)
        with torch.no_grad():
            best = agent(next_obs).argmax(dim=2, keepdim=True)
            next_total = target_mixer(target_agent(next_obs).gather(2, best).squeeze(2), following)
            goal = reward + 0.99 * (1 - ended) * next_total
        loss = F.mse_loss(q_total, goal)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 10.0)
        optimizer.step()
        if update % 100 == 0:
            target_agent.load_state_dict(agent.state_dict())
            target_mixer.load_state_dict(mixer.state_dict())
        if update % 250 == 0:
            print(f"{update} loss {loss.item():.4f} reward {2 * reward.mean():.3f}")


if __name__ == "__main__":
    main()
