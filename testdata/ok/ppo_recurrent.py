"""Recurrent PPO: an LSTM policy that must remember a cue.

Trap: hidden states are stored as they went into each step, minibatches are whole sequences, and the hidden state is
multiplied by the mask of episode starts inside the unroll. The ratio is one per time step, shape (T, N).
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


class CueTask:
    """A cue is shown at the first step of an episode and asked for at the last."""

    length, cues = 6, 3

    def __init__(self, count):
        self.count = count
        self.cue = torch.randint(0, self.cues, (count,))
        self.clock = torch.randint(0, self.length, (count,))

    def observe(self):
        shown = F.one_hot(self.cue, self.cues).float() * (self.clock == 0).float().unsqueeze(-1)
        asked = (self.clock == self.length - 1).float().unsqueeze(-1)
        return torch.cat([shown, asked], dim=-1)

    def step(self, action):
        asked = self.clock == self.length - 1
        reward = (asked & (action == self.cue)).float()
        self.clock = torch.where(asked, torch.zeros_like(self.clock), self.clock + 1)
        self.cue = torch.where(asked, torch.randint(0, self.cues, (self.count,)), self.cue)
        return self.observe(), reward, asked.float()


class RecurrentPolicy(nn.Module):
    def __init__(self, inputs, actions, hidden=32):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.LSTMCell(inputs, hidden)
        self.actor = nn.Linear(hidden, actions)
        self.critic = nn.Linear(hidden, 1)

    def initial(self, count):
        return torch.zeros(count, self.hidden), torch.zeros(count, self.hidden)

    def forward(self, x, state, start):
        keep = (1.0 - start).unsqueeze(-1)
        h, c = self.cell(x, (state[0] * keep, state[1] * keep))
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1), (h, c)

    def unroll(self, xs, state, starts, actions):
        logps, values, entropies = [], [], []
        for x, start, action in zip(xs, starts, actions):
            dist, value, state = self(x, state, start)
            logps.append(dist.log_prob(action))
            values.append(value)
            entropies.append(dist.entropy())
        return torch.stack(logps), torch.stack(values), torch.stack(entropies)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--horizon", type=int, default=24)
    args = parser.parse_args()

    torch.manual_seed(3)
    env, policy = CueTask(args.envs), RecurrentPolicy(CueTask.cues + 1, CueTask.cues)
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
    gamma, lam, clip = 0.95, 0.9, 0.2
    x, state, start = env.observe(), policy.initial(args.envs), torch.ones(args.envs)

    for iteration in range(args.iterations):
        first_state = state
        xs, starts, actions, logps, values, rewards, ends = [], [], [], [], [], [], []
        with torch.no_grad():
            for _ in range(args.horizon):
                dist, value, state = policy(x, state, start)
                action = dist.sample()
                following, reward, end = env.step(action)
                for sink, item in zip((xs, starts, actions, logps, values, rewards, ends),
                                      (x, start, action, dist.log_prob(action), value, reward, end)):
                    sink.append(item)
                x, start = following, end
            _, bootstrap, _ = policy(x, state, start)
            advantages, carry = [], torch.zeros(args.envs)
            for t in reversed(range(args.horizon)):
                following = bootstrap if t == args.horizon - 1 else values[t + 1]
                alive = 1.0 - ends[t]
                carry = rewards[t] + gamma * following * alive - values[t] + gamma * lam * alive * carry
                advantages.insert(0, carry)
            xs, starts, actions, logps, values, rewards, advantages = (
                torch.stack(part) for part in (xs, starts, actions, logps, values, rewards, advantages))
            returns = advantages + values
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)

        for _ in range(4):
            for env_index in torch.randperm(args.envs).chunk(2):
                start_state = tuple(part[env_index] for part in first_state)
                new_logp, new_value, entropy = policy.unroll(
                    xs[:, env_index], start_state, starts[:, env_index], actions[:, env_index])
                ratio = (new_logp - logps[:, env_index]).exp()
                adv = advantages[:, env_index]
                loss = -torch.min(ratio * adv, torch.clamp(ratio, 1 - clip, 1 + clip) * adv).mean()
                loss = loss + 0.5 * F.mse_loss(new_value, returns[:, env_index]) - 0.01 * entropy.mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
                optimizer.step()
        if iteration % 20 == 0:
            print(f"{iteration} reward an episode {rewards.sum().item() / max(1.0, torch.stack(ends).sum().item()):.3f}")


if __name__ == "__main__":
    main()
