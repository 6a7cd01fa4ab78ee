"""DQN built by factories from a dataclass, with gymnasium's vector environments."""

from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class DQNConfig:
    env_id: str = "CartPole-v1"
    total_timesteps: int = 50_000
    learning_rate: float = 2.5e-4
    buffer_size: int = 10_000
    gamma: float = 0.99
    tau: float = 1.0
    target_frequency: int = 500
    batch_size: int = 128
    start_e: float = 1.0
    end_e: float = 0.05
    exploration_fraction: float = 0.5
    learning_starts: int = 1000
    train_frequency: int = 10
    dueling: bool = False


class DuelingHead(nn.Module):
    def __init__(self, width: int, actions: int):
        super().__init__()
        self.value, self.advantage = nn.Linear(width, 1), nn.Linear(width, actions)

    def forward(self, h):
        a = self.advantage(h)
        return self.value(h) + a - a.mean(dim=-1, keepdim=True)


def build_q(cfg: DQNConfig, obs_dim: int, actions: int) -> nn.Module:
    head = DuelingHead(84, actions) if cfg.dueling else nn.Linear(84, actions)
    return nn.Sequential(nn.Linear(obs_dim, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), head)
    # bug DIST012: return nn.Sequential(nn.Linear(obs_dim, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), head, nn.ReLU())


def linear_schedule(start: float, end: float, duration: float, t: int) -> float:
    return max((end - start) / duration * t + start, end)


@dataclass
class Sample:
    observations: torch.Tensor
    actions: torch.Tensor
    rewards: torch.Tensor
    next_observations: torch.Tensor
    dones: torch.Tensor


class Buffer:
    def __init__(self, size: int, obs_dim: int):
        self.size, self.pos, self.full = size, 0, False
        self.obs = np.zeros((size, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros((size, obs_dim), dtype=np.float32)
        self.actions = np.zeros((size, 1), dtype=np.int64)
        self.rewards = np.zeros((size, 1), dtype=np.float32)
        self.dones = np.zeros((size, 1), dtype=np.float32)

    def add(self, obs, next_obs, action, reward, done):
        i = self.pos
        self.obs[i], self.next_obs[i], self.actions[i], self.rewards[i], self.dones[i] = obs, next_obs, action, reward, done
        self.pos = (i + 1) % self.size
        self.full = self.full or self.pos == 0

    def sample(self, n: int) -> Sample:
        idx = np.random.randint(0, self.size if self.full else self.pos, n)
        arrays = (self.obs, self.actions, self.rewards, self.next_obs, self.dones)
        return Sample(*(torch.as_tensor(a[idx]) for a in arrays))


def train(cfg: DQNConfig):
    env = gym.make(cfg.env_id)
    obs_dim, n = env.observation_space.shape[0], env.action_space.n
    q_network, target_network = build_q(cfg, obs_dim, n), build_q(cfg, obs_dim, n)
    target_network.load_state_dict(q_network.state_dict())
    optimizer = torch.optim.Adam(q_network.parameters(), lr=cfg.learning_rate)
    rb = Buffer(cfg.buffer_size, obs_dim)
    obs, _ = env.reset(seed=1)
    for global_step in range(cfg.total_timesteps):
        epsilon = linear_schedule(cfg.start_e, cfg.end_e, cfg.exploration_fraction * cfg.total_timesteps, global_step)
        if np.random.random() < epsilon:
            action = env.action_space.sample()
        else:
            q_values = q_network(torch.as_tensor(obs, dtype=torch.float32))
            action = torch.argmax(q_values).item()
        next_obs, reward, terminated, truncated, _ = env.step(action)
        rb.add(obs, next_obs, action, reward, terminated)
        obs = env.reset()[0] if terminated or truncated else next_obs
        if global_step > cfg.learning_starts and global_step % cfg.train_frequency == 0:
            data = rb.sample(cfg.batch_size)
            with torch.no_grad():
                target_max, _ = target_network(data.next_observations).max(dim=1)
                td_target = data.rewards.flatten() + cfg.gamma * target_max * (1 - data.dones.flatten())
            old_val = q_network(data.observations).gather(1, data.actions).squeeze()
            loss = F.mse_loss(td_target, old_val)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(q_network.parameters(), 10.0)
            # bug LOOP004: optimizer.step()
            optimizer.step()
            # and: nn.utils.clip_grad_norm_(q_network.parameters(), 10.0)
            if global_step % cfg.target_frequency == 0:
                for t, q in zip(target_network.parameters(), q_network.parameters()):
                    t.data.copy_(cfg.tau * q.data + (1.0 - cfg.tau) * t.data)
                print(global_step, loss.item(), old_val.mean().item())


def make_config(name: str) -> DQNConfig:
    return {"dqn": DQNConfig(), "dueling": DQNConfig(dueling=True)}[name]


if __name__ == "__main__":
    train(make_config("dqn"))
