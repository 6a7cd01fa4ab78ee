"""TD3: clipped double critics, delayed actor, target smoothing.

Trap: `clamp(-noise_clip, noise_clip)` is a symmetric clamp around zero of noise, not of a ratio; the actor follows the
first critic alone. The target step multiplies by (1 - terminated).
"""

import argparse
import copy

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Actor(nn.Module):
    def __init__(self, state_dim, action_dim, max_action):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(state_dim, 256), nn.Linear(256, 256), nn.Linear(256, action_dim)
        self.max_action = max_action

    def forward(self, state):
        a = F.relu(self.l1(state))
        a = F.relu(self.l2(a))
        return self.max_action * torch.tanh(self.l3(a))


class Critic(nn.Module):
    def __init__(self, state_dim, action_dim):
        super().__init__()
        self.q1, self.q2 = (nn.Sequential(nn.Linear(state_dim + action_dim, 256), nn.ReLU(), nn.Linear(256, 256),
                                          nn.ReLU(), nn.Linear(256, 1)) for _ in range(2))

    def forward(self, state, action):
        sa = torch.cat([state, action], 1)
        return self.q1(sa), self.q2(sa)

    def Q1(self, state, action):
        return self.q1(torch.cat([state, action], 1))


class ReplayBuffer:
    def __init__(self, state_dim, action_dim, max_size=int(1e5)):
        self.max_size, self.ptr, self.size = max_size, 0, 0
        self.state, self.next_state = np.zeros((max_size, state_dim)), np.zeros((max_size, state_dim))
        self.action = np.zeros((max_size, action_dim))
        self.reward, self.not_done = np.zeros((max_size, 1)), np.zeros((max_size, 1))

    def add(self, state, action, next_state, reward, terminated):
        self.state[self.ptr], self.action[self.ptr], self.next_state[self.ptr] = state, action, next_state
        self.reward[self.ptr], self.not_done[self.ptr] = reward, 1.0 - terminated
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample(self, batch_size):
        ind = np.random.randint(0, self.size, size=batch_size)
        columns = (self.state, self.action, self.next_state, self.reward, self.not_done)
        return tuple(torch.as_tensor(column[ind], dtype=torch.float32, device=device) for column in columns)


class TD3:
    def __init__(self, state_dim, action_dim, max_action, discount=0.99, tau=0.005, policy_noise=0.2, noise_clip=0.5,
                 policy_freq=2):
        self.actor = Actor(state_dim, action_dim, max_action).to(device)
        self.actor_target = copy.deepcopy(self.actor)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=3e-4)
        self.critic = Critic(state_dim, action_dim).to(device)
        self.critic_target = copy.deepcopy(self.critic)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=3e-4)
        self.max_action, self.discount, self.tau = max_action, discount, tau
        self.policy_noise, self.noise_clip = policy_noise * max_action, noise_clip * max_action
        self.policy_freq, self.total_it = policy_freq, 0

    @torch.no_grad()
    def select_action(self, state):
        state = torch.as_tensor(state.reshape(1, -1), dtype=torch.float32, device=device)
        return self.actor(state).cpu().numpy().flatten()

    def train(self, replay_buffer, batch_size=256):
        self.total_it += 1
        state, action, next_state, reward, not_done = replay_buffer.sample(batch_size)
        with torch.no_grad():
            noise = (torch.randn_like(action) * self.policy_noise).clamp(-self.noise_clip, self.noise_clip)
            next_action = (self.actor_target(next_state) + noise).clamp(-self.max_action, self.max_action)
            target_Q1, target_Q2 = self.critic_target(next_state, next_action)
            target_Q = reward + not_done * self.discount * torch.min(target_Q1, target_Q2)

        current_Q1, current_Q2 = self.critic(state, action)
        critic_loss = F.mse_loss(current_Q1, target_Q) + F.mse_loss(current_Q2, target_Q)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()

        if self.total_it % self.policy_freq == 0:
            actor_loss = -self.critic.Q1(state, self.actor(state)).mean()
            self.actor_optimizer.zero_grad()
            actor_loss.backward()
            self.actor_optimizer.step()
            pairs = ((self.critic, self.critic_target), (self.actor, self.actor_target))
            for online, target in pairs:
                for param, target_param in zip(online.parameters(), target.parameters()):
                    target_param.data.copy_(self.tau * param.data + (1 - self.tau) * target_param.data)
        return critic_loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="HalfCheetah-v4")
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--start-timesteps", default=25_000, type=int)
    parser.add_argument("--max-timesteps", default=1_000_000, type=int)
    parser.add_argument("--expl-noise", default=0.1, type=float)
    args = parser.parse_args()

    env = gym.make(args.env)
    env.action_space.seed(args.seed)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    state_dim, action_dim = env.observation_space.shape[0], env.action_space.shape[0]
    max_action = float(env.action_space.high[0])
    policy, replay_buffer = TD3(state_dim, action_dim, max_action), ReplayBuffer(state_dim, action_dim)

    state, _ = env.reset(seed=args.seed)
    episode_reward = 0.0
    for t in range(args.max_timesteps):
        if t < args.start_timesteps:
            action = env.action_space.sample()
        else:
            noise = np.random.normal(0, max_action * args.expl_noise, size=action_dim)
            action = (policy.select_action(state) + noise).clip(-max_action, max_action)
        next_state, reward, terminated, truncated, _ = env.step(action)
        replay_buffer.add(state, action, next_state, reward, float(terminated))
        state = next_state
        episode_reward += reward
        if t >= args.start_timesteps:
            policy.train(replay_buffer)
        if terminated or truncated:
            print(f"T: {t + 1} reward: {episode_reward:.3f}")
            state, _ = env.reset()
            episode_reward = 0.0


if __name__ == "__main__":
    main()
