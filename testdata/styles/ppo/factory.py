"""PPO built by factories from dataclasses of settings."""

from dataclasses import dataclass, field
from typing import List, Tuple

import torch
import torch.nn as nn
from torch.distributions import Categorical


@dataclass
class NetConfig:
    hidden: List[int] = field(default_factory=lambda: [64, 64])
    activation: str = "tanh"


@dataclass
class PPOConfig:
    net: NetConfig = field(default_factory=NetConfig)
    num_envs: int = 8
    num_steps: int = 64
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_coef: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    update_epochs: int = 4
    num_minibatches: int = 4
    learning_rate: float = 2.5e-4
    max_grad_norm: float = 0.5
    norm_adv: bool = True
    total_updates: int = 20

    @property
    def batch_size(self) -> int:
        return self.num_envs * self.num_steps


class Catch:
    """A ball falls; the paddle has to be below it."""

    def __init__(self, n: int):
        self.n = n
        self.ball, self.paddle, self.row = torch.randint(0, 5, (n,)), torch.full((n,), 2), torch.zeros(n, dtype=torch.long)

    def obs(self) -> torch.Tensor:
        return torch.stack([self.ball, self.paddle, self.row], 1).float() / 5

    def step(self, action: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        self.paddle = (self.paddle + action - 1).clamp(0, 4)
        self.row = self.row + 1
        done = self.row == 5
        reward = torch.where(done, (self.ball == self.paddle).float() * 2 - 1, torch.zeros(self.n))
        self.row = torch.where(done, torch.zeros_like(self.row), self.row)
        self.ball = torch.where(done, torch.randint(0, 5, (self.n,)), self.ball)
        return self.obs(), reward, done.float()


def build_mlp(cfg: NetConfig, inputs: int, outputs: int) -> nn.Sequential:
    act = {"tanh": nn.Tanh, "relu": nn.ReLU}[cfg.activation]
    layers: List[nn.Module] = []
    for width in cfg.hidden:
        layers += [nn.Linear(inputs, width), act()]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, outputs))


class Agent(nn.Module):
    def __init__(self, cfg: PPOConfig):
        super().__init__()
        self.critic = build_mlp(cfg.net, 3, 1)
        self.actor = build_mlp(cfg.net, 3, 3)

    def get_value(self, x):
        return self.critic(x).flatten()

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        # bug DIST001: probs = Categorical(probs=self.actor(x))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(x).flatten()


def train(cfg: PPOConfig):
    env, agent = Catch(cfg.num_envs), Agent(cfg)
    optimizer = torch.optim.Adam(agent.parameters(), lr=cfg.learning_rate, eps=1e-5)
    shape = (cfg.num_steps, cfg.num_envs)
    obs, actions = torch.zeros(shape + (3,)), torch.zeros(shape, dtype=torch.long)
    logprobs, rewards, dones, values = (torch.zeros(shape) for _ in range(4))
    next_obs = env.obs()
    for update in range(cfg.total_updates):
        for step in range(cfg.num_steps):
            obs[step] = next_obs
            with torch.no_grad():
            # bug OBJ007: if True:
                action, logprob, _, value = agent.get_action_and_value(next_obs)
            actions[step], logprobs[step], values[step] = action, logprob, value
            next_obs, rewards[step], dones[step] = env.step(action)
        with torch.no_grad():
            next_value = agent.get_value(next_obs)
            advantages = torch.zeros_like(rewards)
            lastgaelam = 0
            for t in reversed(range(cfg.num_steps)):
                nextvalues = next_value if t == cfg.num_steps - 1 else values[t + 1]
                nextnonterminal = 1.0 - dones[t]
                delta = rewards[t] + cfg.gamma * nextvalues * nextnonterminal - values[t]
                advantages[t] = lastgaelam = delta + cfg.gamma * cfg.gae_lambda * nextnonterminal * lastgaelam
            returns = advantages + values
        b_obs, b_actions, b_logprobs = obs.reshape(-1, 3), actions.reshape(-1), logprobs.reshape(-1)
        b_advantages, b_returns = advantages.reshape(-1), returns.reshape(-1)
        for _ in range(cfg.update_epochs):
            for mb in torch.randperm(cfg.batch_size).chunk(cfg.num_minibatches):
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])
                logratio = newlogprob - b_logprobs[mb]  # found: OBJ001, OBJ007
                # bug OBJ020: logratio = b_logprobs[mb] - newlogprob
                ratio = logratio.exp()  # found: OBJ020
                # bug OBJ001: ratio = logratio
                mb_adv = b_advantages[mb]
                if cfg.norm_adv:
                    mb_adv = (mb_adv - mb_adv.mean()) / (mb_adv.std() + 1e-8)
                    # bug ADV009: mb_adv = (mb_adv - mb_adv.mean()) / mb_adv.std()
                pg_loss1 = -mb_adv * ratio
                pg_loss2 = -mb_adv * torch.clamp(ratio, 1 - cfg.clip_coef, 1 + cfg.clip_coef)
                # bug OBJ022: pg_loss2 = -mb_adv * torch.clamp(ratio, -cfg.clip_coef, cfg.clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()
                # bug OBJ002: pg_loss = torch.min(pg_loss1, pg_loss2).mean()
                v_loss = 0.5 * ((newvalue - b_returns[mb]) ** 2).mean()
                loss = pg_loss - cfg.ent_coef * entropy.mean() + v_loss * cfg.vf_coef
                # bug OBJ012: loss = pg_loss + cfg.ent_coef * entropy.mean() + v_loss * cfg.vf_coef
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), cfg.max_grad_norm)
                # bug LOOP004: optimizer.step()
                optimizer.step()
                # and: nn.utils.clip_grad_norm_(agent.parameters(), cfg.max_grad_norm)
        print(update, rewards.mean().item(), loss.item())


def make_config(**overrides) -> PPOConfig:
    return PPOConfig(**overrides)


if __name__ == "__main__":
    train(make_config(total_updates=30))
