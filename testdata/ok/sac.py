"""SAC with automatic temperature.

Trap: log_alpha is a parameter; its loss multiplies `log_alpha` (not alpha) with a detached log-prob plus target
entropy, an accepted form. The tanh correction subtracts log(scale * (1 - y^2) + eps): an epsilon inside a log. Log
standard deviations are squashed to a range. rsample keeps the path to the action.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

LOG_STD_MAX, LOG_STD_MIN = 2, -5


class SoftQNetwork(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(obs_dim + act_dim, 256), nn.Linear(256, 256), nn.Linear(256, 1)

    def forward(self, x, a):
        x = F.relu(self.fc1(torch.cat([x, a], 1)))
        return self.fc3(F.relu(self.fc2(x)))


class Actor(nn.Module):
    def __init__(self, space_in, space_out):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(int(np.prod(space_in.shape)), 256), nn.Linear(256, 256)
        act_dim = int(np.prod(space_out.shape))
        self.fc_mean, self.fc_logstd = nn.Linear(256, act_dim), nn.Linear(256, act_dim)
        self.register_buffer("action_scale", torch.tensor((space_out.high - space_out.low) / 2.0, dtype=torch.float32))
        self.register_buffer("action_bias", torch.tensor((space_out.high + space_out.low) / 2.0, dtype=torch.float32))

    def forward(self, x):
        x = F.relu(self.fc2(F.relu(self.fc1(x))))
        log_std = torch.tanh(self.fc_logstd(x))
        return self.fc_mean(x), LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)

    def get_action(self, x):
        mean, log_std = self(x)
        normal = torch.distributions.Normal(mean, log_std.exp())
        x_t = normal.rsample()
        y_t = torch.tanh(x_t)
        action = y_t * self.action_scale + self.action_bias
        log_prob = normal.log_prob(x_t)
        log_prob -= torch.log(self.action_scale * (1 - y_t.pow(2)) + 1e-6)
        return action, log_prob.sum(1, keepdim=True)


class Memory:
    def __init__(self, size, obs_dim, act_dim):
        self.data = np.zeros((size, 2 * obs_dim + act_dim + 2), dtype=np.float32)
        self.split, self.n, self.size = [obs_dim, act_dim, obs_dim, 1, 1], 0, size

    def add(self, *parts):
        self.data[self.n % self.size] = np.concatenate([np.atleast_1d(part) for part in parts])
        self.n += 1

    def sample(self, count):
        rows = self.data[np.random.randint(0, min(self.n, self.size), count)]
        return torch.as_tensor(rows).split(self.split, dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env-id", default="Hopper-v4")
    parser.add_argument("--total-timesteps", type=int, default=1_000_000)
    parser.add_argument("--learning-starts", type=int, default=5000)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--tau", type=float, default=0.005)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = gym.make(args.env_id)
    env.action_space.seed(args.seed)
    obs_dim, act_dim = env.observation_space.shape[0], env.action_space.shape[0]
    actor = Actor(env.observation_space, env.action_space)
    qf1, qf2 = SoftQNetwork(obs_dim, act_dim), SoftQNetwork(obs_dim, act_dim)
    qf1_target, qf2_target = SoftQNetwork(obs_dim, act_dim), SoftQNetwork(obs_dim, act_dim)
    qf1_target.load_state_dict(qf1.state_dict())
    qf2_target.load_state_dict(qf2.state_dict())
    q_optimizer = optim.Adam(list(qf1.parameters()) + list(qf2.parameters()), lr=1e-3)
    actor_optimizer = optim.Adam(actor.parameters(), lr=3e-4)
    target_entropy = -float(np.prod(env.action_space.shape))
    log_alpha = torch.zeros(1, requires_grad=True)
    alpha = log_alpha.exp().item()
    a_optimizer = optim.Adam([log_alpha], lr=1e-3)
    memory = Memory(100_000, obs_dim, act_dim)

    obs, _ = env.reset(seed=args.seed)
    for global_step in range(args.total_timesteps):
        if global_step < args.learning_starts:
            action = env.action_space.sample()
        else:
            with torch.no_grad():
                action = actor.get_action(torch.as_tensor(obs).unsqueeze(0))[0].numpy()[0]
        next_obs, reward, terminated, truncated, _ = env.step(action)
        memory.add(obs, action, next_obs, reward, float(terminated))
        obs = env.reset()[0] if terminated or truncated else next_obs
        if global_step < args.learning_starts:
            continue

        s, a, s2, r, d = memory.sample(args.batch_size)
        with torch.no_grad():
            next_actions, next_log_pi = actor.get_action(s2)
            min_next = torch.min(qf1_target(s2, next_actions), qf2_target(s2, next_actions)) - alpha * next_log_pi
            next_q_value = r + (1 - d) * args.gamma * min_next
        qf_loss = F.mse_loss(qf1(s, a), next_q_value) + F.mse_loss(qf2(s, a), next_q_value)
        q_optimizer.zero_grad()
        qf_loss.backward()
        q_optimizer.step()

        pi, log_pi = actor.get_action(s)
        actor_loss = (alpha * log_pi - torch.min(qf1(s, pi), qf2(s, pi))).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()

        alpha_loss = (-log_alpha * (log_pi.detach() + target_entropy)).mean()
        a_optimizer.zero_grad()
        alpha_loss.backward()
        a_optimizer.step()
        alpha = log_alpha.exp().item()

        for q, target in ((qf1, qf1_target), (qf2, qf2_target)):
            for param, target_param in zip(q.parameters(), target.parameters()):
                target_param.data.copy_(args.tau * param.data + (1 - args.tau) * target_param.data)
        if global_step % 1000 == 0:
            print(f"{global_step} q {qf_loss.item():.3f} actor {actor_loss.item():.3f} alpha {alpha:.3f}")


if __name__ == "__main__":
    main()
