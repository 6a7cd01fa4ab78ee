"""PPO as a LightningModule that collects its own rollouts through an IterableDataset."""

import gymnasium as gym
import lightning as L
import torch
from torch import nn
from torch.distributions import Categorical
from torch.utils.data import DataLoader, IterableDataset


class ExperienceSource(IterableDataset):
    def __init__(self, generate):
        self.generate = generate

    def __iter__(self):
        return self.generate()


class PPOLightning(L.LightningModule):
    def __init__(self, env_id="CartPole-v1", gamma=0.99, lam=0.95, clip_ratio=0.2, ent_coef=0.01, steps=512, epochs=4, lr=3e-4):
        super().__init__()
        self.save_hyperparameters()
        self.env = gym.make(env_id)
        obs_dim, n_actions = self.env.observation_space.shape[0], self.env.action_space.n
        self.actor = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, n_actions))
        self.critic = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 1))
        self.gamma, self.lam, self.clip_ratio, self.ent_coef = gamma, lam, clip_ratio, ent_coef
        self.steps, self.epochs, self.lr = steps, epochs, lr
        self.state = torch.as_tensor(self.env.reset()[0], dtype=torch.float32)

    def forward(self, x):
        return Categorical(logits=self.actor(x)), self.critic(x).squeeze(-1)
        # bug DIST001: return Categorical(probs=self.actor(x)), self.critic(x).squeeze(-1)

    @torch.no_grad()
    # bug OBJ007, ADV017:
    def play(self):
        states, actions, logps, values, rewards, alive = [], [], [], [], [], []
        for _ in range(self.steps):
            dist, value = self(self.state)
            action = dist.sample()
            obs, reward, terminated, truncated, _ = self.env.step(action.item())
            if truncated and not terminated:
                reward += self.gamma * self.critic(torch.as_tensor(obs, dtype=torch.float32)).item()
            states.append(self.state)
            actions.append(action)
            logps.append(dist.log_prob(action))
            values.append(value)
            rewards.append(reward)
            alive.append(0.0 if terminated or truncated else 1.0)
            if terminated or truncated:
                obs, _ = self.env.reset()
            self.state = torch.as_tensor(obs, dtype=torch.float32)
        values.append(self(self.state)[1])
        adv, advs = 0.0, []
        for t in reversed(range(self.steps)):
            delta = rewards[t] + self.gamma * values[t + 1] * alive[t] - values[t]
            adv = delta + self.gamma * self.lam * alive[t] * adv  # found: ADV017
            advs.append(adv)
        advs = torch.stack(advs[::-1])
        returns = advs + torch.stack(values[:-1])
        return torch.stack(states), torch.stack(actions), torch.stack(logps), advs, returns

    def experience(self):
        states, actions, logps, advs, returns = self.play()
        advs = (advs - advs.mean()) / (advs.std() + 1e-8)
        # bug ADV009: advs = (advs - advs.mean()) / advs.std()
        for _ in range(self.epochs):
            for i in torch.randperm(self.steps):
                yield states[i], actions[i], logps[i], advs[i], returns[i]

    def training_step(self, batch, batch_idx):
        states, actions, old_logps, advs, returns = batch
        dist, values = self(states)
        ratio = torch.exp(dist.log_prob(actions) - old_logps)  # found: OBJ007
        # bug OBJ001: ratio = dist.log_prob(actions) - old_logps
        # bug OBJ020: ratio = torch.exp(old_logps - dist.log_prob(actions))
        clipped = torch.clamp(ratio, 1 - self.clip_ratio, 1 + self.clip_ratio) * advs
        # bug OBJ022: clipped = torch.clamp(ratio, -self.clip_ratio, self.clip_ratio) * advs
        actor_loss = -torch.min(ratio * advs, clipped).mean()
        # bug OBJ002: actor_loss = -torch.max(ratio * advs, clipped).mean()
        critic_loss = nn.functional.mse_loss(values, returns)
        entropy = dist.entropy().mean()
        loss = actor_loss + 0.5 * critic_loss - self.ent_coef * entropy
        # bug OBJ012: loss = actor_loss + 0.5 * critic_loss + self.ent_coef * entropy
        self.log_dict({"actor": actor_loss, "critic": critic_loss, "entropy": entropy})
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)

    def train_dataloader(self):
        return DataLoader(ExperienceSource(self.experience), batch_size=64)


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=30, gradient_clip_val=0.5, accelerator="cpu")
    trainer.fit(PPOLightning())
