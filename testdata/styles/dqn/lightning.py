"""DQN as a LightningModule with a dataset that reads from a replay buffer."""

from collections import deque, namedtuple

import gymnasium as gym
import numpy as np
import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

Experience = namedtuple("Experience", ["state", "action", "reward", "done", "new_state"])


class DQN(nn.Module):
    def __init__(self, obs_size, n_actions, hidden=128):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_size, hidden), nn.ReLU(), nn.Linear(hidden, n_actions))
        # bug DIST012: self.net = nn.Sequential(nn.Linear(obs_size, hidden), nn.ReLU(), nn.Linear(hidden, n_actions), nn.ReLU())

    def forward(self, x):
        return self.net(x.float())


class ReplayBuffer:
    def __init__(self, capacity):
        self.buffer = deque(maxlen=capacity)

    def append(self, experience):
        self.buffer.append(experience)

    def sample(self, n):
        picks = np.random.choice(len(self.buffer), n, replace=False)
        states, actions, rewards, dones, new_states = zip(*(self.buffer[i] for i in picks))
        return (
            np.array(states),
            np.array(actions),
            np.array(rewards, dtype=np.float32),
            np.array(dones, dtype=bool),
            np.array(new_states),
        )


class RLDataset(IterableDataset):
    def __init__(self, buffer, size=200):
        self.buffer, self.size = buffer, size

    def __iter__(self):
        states, actions, rewards, dones, new_states = self.buffer.sample(self.size)
        for i in range(len(dones)):
            yield states[i], actions[i], rewards[i], dones[i], new_states[i]


class DQNLightning(pl.LightningModule):
    def __init__(self, env="CartPole-v1", batch_size=32, lr=1e-3, gamma=0.99, sync_rate=100, eps_last=2000, warm_start=500):
        super().__init__()
        self.save_hyperparameters()
        self.env = gym.make(env)
        n_obs, n_actions = self.env.observation_space.shape[0], self.env.action_space.n
        self.net = DQN(n_obs, n_actions)
        self.target_net = DQN(n_obs, n_actions)
        self.target_net.load_state_dict(self.net.state_dict())
        self.buffer = ReplayBuffer(5000)
        self.state, _ = self.env.reset()
        self.episode_reward = 0.0
        for _ in range(warm_start):
            self.play_step(epsilon=1.0)

    @torch.no_grad()
    def play_step(self, epsilon):
        if np.random.random() < epsilon:
            action = self.env.action_space.sample()
        else:
            q = self.net(torch.tensor(self.state, device=self.device)[None])
            action = int(q.argmax(dim=1).item())
        new_state, reward, terminated, truncated, _ = self.env.step(action)
        self.buffer.append(Experience(self.state, action, reward, terminated, new_state))
        self.state = new_state
        self.episode_reward += reward
        if terminated or truncated:
            self.log("episode_reward", self.episode_reward)
            self.episode_reward = 0.0
            self.state, _ = self.env.reset()

    def dqn_mse_loss(self, batch):
        states, actions, rewards, dones, next_states = batch
        q = self.net(states).gather(1, actions.long().unsqueeze(-1)).squeeze(-1)
        with torch.no_grad():
            next_q = self.target_net(next_states).max(1)[0]
            next_q[dones] = 0.0
        expected = next_q * self.hparams.gamma + rewards
        return nn.MSELoss()(q, expected)

    def training_step(self, batch, batch_idx):
        epsilon = max(0.01, 1.0 - self.global_step / self.hparams.eps_last)
        self.play_step(epsilon)
        loss = self.dqn_mse_loss(batch)
        if self.global_step % self.hparams.sync_rate == 0:
            self.target_net.load_state_dict(self.net.state_dict())
        self.log_dict({"train_loss": loss, "epsilon": epsilon})
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.net.parameters(), lr=self.hparams.lr)

    def train_dataloader(self):
        return DataLoader(RLDataset(self.buffer), batch_size=self.hparams.batch_size)


if __name__ == "__main__":
    pl.Trainer(max_epochs=150, gradient_clip_val=10.0).fit(DQNLightning())
