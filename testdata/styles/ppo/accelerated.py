"""PPO where Accelerate owns devices, backward and clipping; the advantage is taken in the update."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset


class ActorCritic(nn.Module):
    def __init__(self, obs_dim=4, actions=3):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs_dim, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.pi = nn.Linear(64, actions)
        self.v = nn.Linear(64, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return self.pi(h), self.v(h)[:, 0]


class Pendulum:
    """A toy with three torques and no end; the horizon cuts it."""

    def __init__(self, n, device):
        self.device = device
        self.state = torch.randn(n, 4, device=device)

    def step(self, action):
        push = (action - 1).float()[:, None]
        self.state = 0.95 * self.state + 0.1 * push * torch.tensor([1.0, 0.5, 0.0, -0.5], device=self.device)
        return self.state, -self.state.pow(2).mean(1)


def rollout(model, env, horizon, gamma):
    obs_list, act_list, logp_list, rew_list = [], [], [], []
    obs = env.state
    model.eval()
    with torch.no_grad():
        # bug OBJ007: if True:
        for _ in range(horizon):
            logits, _ = model(obs)
            dist = torch.distributions.Categorical(logits=logits)
            # bug DIST001: dist = torch.distributions.Categorical(probs=logits)
            action = dist.sample()
            obs_list.append(obs)
            act_list.append(action)
            logp_list.append(dist.log_prob(action))
            obs, reward = env.step(action)
            rew_list.append(reward)
    with torch.no_grad():
        ret = model(obs)[1]
    returns = []
    for reward in reversed(rew_list):
        ret = reward + gamma * ret
        returns.insert(0, ret)
    return [torch.cat(x) for x in (obs_list, act_list, logp_list, returns)]


def main(updates=20, epochs=3, clip=0.2, ent_coef=0.01):
    accelerator = Accelerator()
    model = ActorCritic()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = accelerator.prepare(model, optimizer)
    env = Pendulum(16, accelerator.device)
    for update in range(updates):
        dataset = TensorDataset(*rollout(model, env, 32, 0.97))
        loader = accelerator.prepare(DataLoader(dataset, batch_size=128, shuffle=True))
        model.train()
        for _ in range(epochs):
            for obs, actions, old_logp, returns in loader:
                logits, values = model(obs)
                advantage = returns - values.detach()
                # bug OBJ011: advantage = returns - values
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                # bug ADV009: advantage = (advantage - advantage.mean()) / advantage.std()
                log_probs = F.log_softmax(logits, dim=-1)
                # bug DIST025: log_probs = F.log_softmax(logits, dim=0)
                logp = log_probs.gather(1, actions[:, None])[:, 0]
                ratio = torch.exp(logp - old_logp)  # found: OBJ007
                # bug OBJ001: ratio = logp - old_logp
                # bug OBJ020: ratio = torch.exp(old_logp - logp)
                clipped = torch.clamp(ratio, 1 - clip, 1 + clip)
                # bug OBJ022: clipped = torch.clamp(ratio, -clip, clip)
                policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()  # found: OBJ011
                # bug OBJ002: policy_loss = -torch.max(ratio * advantage, clipped * advantage).mean()
                value_loss = F.mse_loss(values, returns)
                entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
                loss = policy_loss + 0.5 * value_loss - ent_coef * entropy
                # bug OBJ012: loss = policy_loss + 0.5 * value_loss + ent_coef * entropy
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 0.5)
                    # bug LOOP004: pass
                optimizer.step()
                # and: optimizer.step(); accelerator.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.zero_grad()
        accelerator.print(update, "loss", loss.item(), "return", returns.mean().item())


if __name__ == "__main__":
    main()
