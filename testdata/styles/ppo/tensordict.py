"""PPO over batches like TensorDict; modules read keys and write keys."""

import torch
import torch.nn as nn
from torch.distributions import Categorical


class TD(dict):
    """A dict of tensors of one batch size."""

    def select(self, index):
        return TD({key: value[index] for key, value in self.items()})

    def reshape(self, *shape):
        return TD({key: value.reshape(*shape, *value.shape[2:]) for key, value in self.items()})

    @staticmethod
    def stack(items):
        return TD({key: torch.stack([item[key] for item in items]) for key in items[0]})


class Actor(nn.Module):
    def __init__(self, obs_dim, n):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh(), nn.Linear(32, n))

    def get_dist(self, td):
        return Categorical(logits=self.net(td["observation"]))
        # bug DIST001: return Categorical(probs=self.net(td["observation"]))

    def forward(self, td):
        dist = self.get_dist(td)
        td["action"] = dist.sample()
        td["sample_log_prob"] = dist.log_prob(td["action"]).detach()
        # bug OBJ007: td["sample_log_prob"] = dist.log_prob(td["action"])
        return td


class ValueOperator(nn.Module):
    def __init__(self, obs_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, td):
        td["state_value"] = self.net(td["observation"]).squeeze(-1)
        return td


class Grid:
    def __init__(self, envs, size=6):
        self.envs, self.size = envs, size
        self.cell = torch.zeros(envs, dtype=torch.long)

    def observation(self):
        return nn.functional.one_hot(self.cell, self.size).float()

    def step(self, td):
        self.cell = (self.cell + td["action"] * 2 - 1).clamp(0, self.size - 1)
        td["done"] = (self.cell == self.size - 1).float()
        td["reward"] = td["done"] - 0.01
        self.cell = torch.where(td["done"] > 0, torch.zeros_like(self.cell), self.cell)
        return td


class ClipPPOLoss(nn.Module):
    def __init__(self, actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, critic_coeff=1.0):
        super().__init__()
        self.actor, self.critic = actor, critic
        self.clip_epsilon, self.entropy_coeff, self.critic_coeff = clip_epsilon, entropy_coeff, critic_coeff

    def forward(self, td):
        dist = self.actor.get_dist(td)
        log_weight = dist.log_prob(td["action"]) - td["sample_log_prob"]  # found: OBJ001, OBJ007
        # bug OBJ020: log_weight = td["sample_log_prob"] - dist.log_prob(td["action"])
        ratio = log_weight.exp()  # found: OBJ020
        # bug OBJ001: ratio = log_weight
        gain1 = ratio * td["advantage"]
        gain2 = ratio.clamp(1 - self.clip_epsilon, 1 + self.clip_epsilon) * td["advantage"]
        # bug OBJ022: gain2 = ratio.clamp(-self.clip_epsilon, self.clip_epsilon) * td["advantage"]
        gain = torch.stack([gain1, gain2], -1).min(dim=-1).values
        # bug OBJ002: gain = torch.stack([gain1, gain2], -1).max(dim=-1).values
        value = self.critic.net(td["observation"]).squeeze(-1)
        return TD(
            loss_objective=-gain.mean(),
            loss_entropy=-self.entropy_coeff * dist.entropy().mean(),
            # bug OBJ012: loss_entropy=self.entropy_coeff * dist.entropy().mean(),
            loss_critic=self.critic_coeff * (td["value_target"] - value).pow(2).mean(),
        )


@torch.no_grad()
def advantage_(td, last_value, gamma=0.95, lam=0.9):
    running, out = torch.zeros_like(last_value), []
    following = last_value
    for t in reversed(range(len(td["reward"]))):
        live = 1 - td["done"][t]
        running = td["reward"][t] + gamma * live * following - td["state_value"][t] + gamma * lam * live * running
        following = td["state_value"][t]
        out.append(running)
    adv = torch.stack(out[::-1])
    td["value_target"] = adv + td["state_value"]
    td["advantage"] = (adv - adv.mean()) / (adv.std() + 1e-6)
    # bug ADV009: td["advantage"] = (adv - adv.mean()) / adv.std()
    return td


def main():
    env = Grid(16)
    actor, critic = Actor(6, 2), ValueOperator(6)
    loss_module = ClipPPOLoss(actor, critic)
    optim = torch.optim.Adam(loss_module.parameters(), lr=3e-3)
    for it in range(40):
        steps = []
        for _ in range(32):
            td = TD(observation=env.observation())
            td = env.step(critic(actor(td)))
            td["state_value"] = td["state_value"].detach()
            steps.append(td)
        last = critic(TD(observation=env.observation()))["state_value"].detach()
        data = advantage_(TD.stack(steps), last).reshape(-1)
        for _ in range(3):
            for index in torch.randperm(len(data["action"])).split(128):
                losses = loss_module(data.select(index))
                loss = losses["loss_objective"] + losses["loss_entropy"] + losses["loss_critic"]  # found: OBJ012
                loss.backward()
                nn.utils.clip_grad_norm_(loss_module.parameters(), 1.0)
                # bug LOOP004: optim.step()
                optim.step()
                # and: nn.utils.clip_grad_norm_(loss_module.parameters(), 1.0)
                optim.zero_grad()
        print(it, data["reward"].mean().item(), loss.item())


if __name__ == "__main__":
    main()
