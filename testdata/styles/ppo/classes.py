"""PPO in classes: environment, rollout buffer, actor-critic, agent."""

import torch
import torch.nn as nn
from torch.distributions import Categorical


class LineWorld:
    """Walk to the right end within 20 steps."""

    def __init__(self, envs):
        self.envs = envs
        self.reset()

    def reset(self):
        self.pos = torch.zeros(self.envs)
        self.time = torch.zeros(self.envs)
        return self.observe()

    def observe(self):
        return torch.stack([self.pos / 5, self.time / 20], dim=1)

    def step(self, action):
        self.pos = self.pos + action.float() * 2 - 1
        self.time = self.time + 1
        reward = (self.pos >= 5).float()
        done = ((self.pos >= 5) | (self.time >= 20)).float()
        self.pos, self.time = self.pos * (1 - done), self.time * (1 - done)
        return self.observe(), reward, done


class RolloutBuffer:
    def __init__(self):
        self.clear()

    def clear(self):
        self.obs, self.actions, self.logps, self.values, self.rewards, self.dones = [], [], [], [], [], []

    def add(self, obs, action, logp, value, reward, done):
        self.obs.append(obs)
        self.actions.append(action)
        self.logps.append(logp)
        self.values.append(value)
        self.rewards.append(reward)
        self.dones.append(done)

    def compute(self, last_value, gamma, lam):
        advantages, gae = [], torch.zeros_like(last_value)
        following = last_value
        for reward, value, done in zip(reversed(self.rewards), reversed(self.values), reversed(self.dones)):
            delta = reward + gamma * following * (1 - done) - value  # found: VAL007
            gae = delta + gamma * lam * (1 - done) * gae  # found: ADV017
            advantages.insert(0, gae)
            following = value
        advantages = torch.stack(advantages)
        returns = advantages + torch.stack(self.values)
        return advantages.flatten(), returns.flatten()


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.actor = nn.Linear(hidden, n_actions)
        self.critic = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)
        # bug DIST001: return Categorical(probs=self.actor(h)), self.critic(h).squeeze(-1)


class PPO:
    def __init__(self, env, clip=0.2, epochs=4, batch_size=64, vf_coef=0.5, ent_coef=0.01):
        self.env, self.clip, self.epochs, self.batch_size = env, clip, epochs, batch_size
        self.vf_coef, self.ent_coef = vf_coef, ent_coef
        self.net = ActorCritic(2, 2)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=3e-4, eps=1e-5)
        self.buffer = RolloutBuffer()

    @torch.no_grad()
    # bug OBJ007, ADV017, OBJ011, VAL007:
    def collect(self, steps=64):
        self.buffer.clear()
        obs = self.env.reset()
        for _ in range(steps):
            dist, value = self.net(obs)
            action = dist.sample()
            following, reward, done = self.env.step(action)
            self.buffer.add(obs, action, dist.log_prob(action), value, reward, done)
            obs = following
        _, last_value = self.net(obs)
        return self.buffer.compute(last_value, 0.99, 0.95)

    def update(self, advantages, returns):
        obs = torch.cat(self.buffer.obs)
        actions, old_logps = torch.cat(self.buffer.actions), torch.cat(self.buffer.logps)
        for _ in range(self.epochs):
            for idx in torch.randperm(len(obs)).split(self.batch_size):
                dist, value = self.net(obs[idx])
                adv = advantages[idx]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                # bug ADV009: adv = (adv - adv.mean()) / adv.std()
                ratio = torch.exp(dist.log_prob(actions[idx]) - old_logps[idx])  # found: OBJ007
                # bug OBJ001: ratio = dist.log_prob(actions[idx]) - old_logps[idx]
                # bug OBJ020: ratio = torch.exp(old_logps[idx] - dist.log_prob(actions[idx]))
                clipped = torch.clamp(ratio, 1 - self.clip, 1 + self.clip)
                # bug OBJ022: clipped = torch.clamp(ratio, -self.clip, self.clip)
                policy_loss = -torch.min(ratio * adv, clipped * adv).mean()  # found: OBJ011
                # bug OBJ002: policy_loss = -torch.max(ratio * adv, clipped * adv).mean()
                value_loss = (value - returns[idx]).pow(2).mean()
                loss = policy_loss + self.vf_coef * value_loss - self.ent_coef * dist.entropy().mean()
                # bug OBJ012: loss = policy_loss + self.vf_coef * value_loss + self.ent_coef * dist.entropy().mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                # bug LOOP004: self.optimizer.step()
                self.optimizer.step()
                # and: nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        return loss.item()

    def learn(self, iterations):
        for i in range(iterations):
            advantages, returns = self.collect()
            loss = self.update(advantages, returns)
            print(i, "return", returns.mean().item(), "loss", loss)


if __name__ == "__main__":
    torch.manual_seed(0)
    PPO(LineWorld(8)).learn(20)
