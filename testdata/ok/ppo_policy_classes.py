"""PPO as a class hierarchy: policy, rollout buffer, algorithm.

Trap: the standard deviation is taken only under `if self.normalize_advantage and len(advantages) > 1`; the last
minibatch may be ragged. The action distribution hides behind a small wrapper class whose log_prob and entropy are
the quantities of the surrogate. `log_ratio` is used bare only inside no_grad.
"""

import argparse
from typing import Dict, Generator, List, NamedTuple, Optional, Tuple

import gymnasium as gym
import numpy as np
import torch as th
from torch import nn
from torch.distributions import Categorical
from torch.nn import functional as F


class RolloutBufferSamples(NamedTuple):
    observations: th.Tensor
    actions: th.Tensor
    old_values: th.Tensor
    old_log_prob: th.Tensor
    advantages: th.Tensor
    returns: th.Tensor


class RolloutBuffer:
    def __init__(self, buffer_size: int, obs_shape: Tuple[int, ...], gae_lambda: float, gamma: float):
        self.buffer_size, self.obs_shape = buffer_size, obs_shape
        self.gae_lambda, self.gamma = gae_lambda, gamma
        self.reset()

    def reset(self) -> None:
        self.observations = np.zeros((self.buffer_size, *self.obs_shape), dtype=np.float32)
        self.actions = np.zeros(self.buffer_size, dtype=np.int64)
        self.rewards = np.zeros(self.buffer_size, dtype=np.float32)
        self.returns = np.zeros(self.buffer_size, dtype=np.float32)
        self.episode_starts = np.zeros(self.buffer_size, dtype=np.float32)
        self.values = np.zeros(self.buffer_size, dtype=np.float32)
        self.log_probs = np.zeros(self.buffer_size, dtype=np.float32)
        self.advantages = np.zeros(self.buffer_size, dtype=np.float32)
        self.pos = 0

    def add(self, obs, action, reward, episode_start, value, log_prob) -> None:
        self.observations[self.pos] = np.array(obs)
        self.actions[self.pos] = action
        self.rewards[self.pos] = reward
        self.episode_starts[self.pos] = episode_start
        self.values[self.pos] = value
        self.log_probs[self.pos] = log_prob
        self.pos += 1

    def compute_returns_and_advantage(self, last_value: float, done: bool) -> None:
        last_gae_lam = 0.0
        for step in reversed(range(self.buffer_size)):
            if step == self.buffer_size - 1:
                next_non_terminal, next_value = 1.0 - float(done), last_value
            else:
                next_non_terminal, next_value = 1.0 - self.episode_starts[step + 1], self.values[step + 1]
            delta = self.rewards[step] + self.gamma * next_value * next_non_terminal - self.values[step]
            last_gae_lam = delta + self.gamma * self.gae_lambda * next_non_terminal * last_gae_lam
            self.advantages[step] = last_gae_lam
        self.returns = self.advantages + self.values

    def get(self, batch_size: int) -> Generator[RolloutBufferSamples, None, None]:
        indices = np.random.permutation(self.buffer_size)
        for start in range(0, self.buffer_size, batch_size):
            yield self._get_samples(indices[start:start + batch_size])

    def _get_samples(self, batch_inds: np.ndarray) -> RolloutBufferSamples:
        data = (self.observations, self.actions, self.values, self.log_probs, self.advantages, self.returns)
        return RolloutBufferSamples(*(th.as_tensor(array[batch_inds]) for array in data))


class CategoricalDistribution:
    def __init__(self, action_dim: int):
        self.action_dim = action_dim
        self.distribution: Optional[Categorical] = None

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        return nn.Linear(latent_dim, self.action_dim)

    def proba_distribution(self, action_logits: th.Tensor) -> "CategoricalDistribution":
        self.distribution = Categorical(logits=action_logits)
        return self

    def log_prob(self, actions: th.Tensor) -> th.Tensor:
        return self.distribution.log_prob(actions)

    def entropy(self) -> th.Tensor:
        return self.distribution.entropy()

    def get_actions(self, deterministic: bool = False) -> th.Tensor:
        if deterministic:
            return th.argmax(self.distribution.probs, dim=1)
        return self.distribution.sample()


class ActorCriticPolicy(nn.Module):
    def __init__(self, obs_dim: int, action_dim: int, lr: float):
        super().__init__()
        self.extractor = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.action_dist = CategoricalDistribution(action_dim)
        self.action_net = self.action_dist.proba_distribution_net(64)
        self.value_net = nn.Linear(64, 1)
        self.optimizer = th.optim.Adam(self.parameters(), lr=lr, eps=1e-5)

    def forward(self, obs: th.Tensor, deterministic: bool = False):
        latent = self.extractor(obs)
        distribution = self.action_dist.proba_distribution(self.action_net(latent))
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, self.value_net(latent).flatten(), distribution.log_prob(actions)

    def evaluate_actions(self, obs: th.Tensor, actions: th.Tensor):
        latent = self.extractor(obs)
        distribution = self.action_dist.proba_distribution(self.action_net(latent))
        return self.value_net(latent).flatten(), distribution.log_prob(actions), distribution.entropy()

    def predict_values(self, obs: th.Tensor) -> th.Tensor:
        return self.value_net(self.extractor(obs)).flatten()


class PPO:
    def __init__(self, env, n_steps: int = 512, batch_size: int = 60, n_epochs: int = 10, clip_range: float = 0.2,
                 normalize_advantage: bool = True, ent_coef: float = 0.0, vf_coef: float = 0.5,
                 max_grad_norm: float = 0.5, gamma: float = 0.99, gae_lambda: float = 0.95, seed: int = 0):
        np.random.seed(seed)
        th.manual_seed(seed)
        self.env, self.seed = env, seed
        self.n_steps, self.batch_size, self.n_epochs = n_steps, batch_size, n_epochs
        self.clip_range, self.normalize_advantage = clip_range, normalize_advantage
        self.ent_coef, self.vf_coef, self.max_grad_norm, self.gamma = ent_coef, vf_coef, max_grad_norm, gamma
        obs_shape = env.observation_space.shape
        self.policy = ActorCriticPolicy(int(np.prod(obs_shape)), int(env.action_space.n), lr=3e-4)
        self.rollout_buffer = RolloutBuffer(n_steps, obs_shape, gae_lambda, gamma)
        self._last_obs, _ = env.reset(seed=seed)
        self._last_episode_start = True

    def collect_rollouts(self) -> None:
        self.rollout_buffer.reset()
        for _ in range(self.n_steps):
            with th.no_grad():
                obs_tensor = th.as_tensor(self._last_obs).unsqueeze(0)
                actions, values, log_probs = self.policy(obs_tensor)
            new_obs, reward, terminated, truncated, _ = self.env.step(actions.item())
            if truncated and not terminated:
                with th.no_grad():
                    reward += self.gamma * self.policy.predict_values(th.as_tensor(new_obs).unsqueeze(0)).item()
            self.rollout_buffer.add(self._last_obs, actions.item(), reward, self._last_episode_start,
                                    values.item(), log_probs.item())
            self._last_episode_start = terminated or truncated
            self._last_obs = self.env.reset()[0] if self._last_episode_start else new_obs
        with th.no_grad():
            last_value = self.policy.predict_values(th.as_tensor(self._last_obs).unsqueeze(0)).item()
        self.rollout_buffer.compute_returns_and_advantage(last_value, self._last_episode_start)

    def train(self) -> Dict[str, float]:
        pg_losses: List[float] = []
        clip_fractions, approx_kls = [], []
        for _ in range(self.n_epochs):
            for rollout_data in self.rollout_buffer.get(self.batch_size):
                values, log_prob, entropy = self.policy.evaluate_actions(rollout_data.observations, rollout_data.actions)
                advantages = rollout_data.advantages
                if self.normalize_advantage and len(advantages) > 1:
                    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)

                ratio = th.exp(log_prob - rollout_data.old_log_prob)
                policy_loss_1 = advantages * ratio
                policy_loss_2 = advantages * th.clamp(ratio, 1 - self.clip_range, 1 + self.clip_range)
                policy_loss = -th.min(policy_loss_1, policy_loss_2).mean()
                value_loss = F.mse_loss(rollout_data.returns, values)
                entropy_loss = -th.mean(entropy)
                loss = policy_loss + self.ent_coef * entropy_loss + self.vf_coef * value_loss

                with th.no_grad():
                    log_ratio = log_prob - rollout_data.old_log_prob
                    approx_kls.append(th.mean((th.exp(log_ratio) - 1) - log_ratio).item())
                    clip_fractions.append(th.mean((th.abs(ratio - 1) > self.clip_range).float()).item())
                pg_losses.append(policy_loss.item())

                self.policy.optimizer.zero_grad()
                loss.backward()
                th.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
        return {"pg_loss": np.mean(pg_losses), "kl": np.mean(approx_kls), "clip": np.mean(clip_fractions)}

    def learn(self, iterations: int) -> "PPO":
        for iteration in range(iterations):
            self.collect_rollouts()
            print(iteration, self.train(), "reward", self.rollout_buffer.rewards.mean())
        return self


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="CartPole-v1")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--n-steps", type=int, default=512)
    options = parser.parse_args()
    PPO(gym.make(options.env), n_steps=options.n_steps).learn(options.iterations)
