"""One-step actor-critic whose agent keeps everything in attributes.

Trap: the last log-prob is an attribute set by act() and read by learn(); the TD error plays the advantage and is
detached in the actor's loss, not in the critic's. A softmax with a temperature feeds random.choices, not multinomial.
"""

import argparse
import random

import torch
from torch import nn


class Vending:
    """States 0..4; pressing button i in state i moves on, any other button starts over."""

    states = 5

    def reset(self):
        self.state = 0
        return self.state

    def step(self, button):
        if button != (2 * self.state + 1) % self.states:
            self.state = 0
            return self.state, -0.1, False
        self.state += 1
        done = self.state == self.states
        return self.state % self.states, 1.0 if done else 0.0, done


class Agent:
    def __init__(self, states, actions, temperature=1.0, gamma=0.95):
        self.actor = nn.Linear(states, actions, bias=False)
        self.critic = nn.Linear(states, 1, bias=False)
        self.actor_optimizer = torch.optim.SGD(self.actor.parameters(), lr=0.3)
        self.critic_optimizer = torch.optim.SGD(self.critic.parameters(), lr=0.3)
        self.eye = torch.eye(states)
        self.temperature, self.gamma = temperature, gamma

    def features(self, state):
        return self.eye[state]

    def act(self, state):
        scores = self.actor(self.features(state)) / self.temperature
        self.probs = torch.softmax(scores, dim=-1)
        action = random.choices(range(len(self.probs)), weights=self.probs.tolist())[0]
        self.log_prob = torch.log(self.probs[action])
        return action

    def learn(self, state, reward, next_state, done):
        value = self.critic(self.features(state)).squeeze()
        with torch.no_grad():
            following = torch.zeros(()) if done else self.critic(self.features(next_state)).squeeze()
            target = reward + self.gamma * following
        td_error = target - value

        critic_loss = td_error.pow(2)
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()

        actor_loss = -self.log_prob * td_error.detach()
        self.actor_optimizer.zero_grad()
        actor_loss.backward()
        self.actor_optimizer.step()
        return td_error.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--limit", type=int, default=60)
    args = parser.parse_args()
    random.seed(0)
    torch.manual_seed(0)
    env = Vending()
    agent = Agent(env.states, env.states)
    lengths = []
    for episode in range(args.episodes):
        state = env.reset()
        for step in range(args.limit):
            action = agent.act(state)
            next_state, reward, done = env.step(action)
            agent.learn(state, reward, next_state, done)
            state = next_state
            if done:
                break
        lengths.append(step + 1)
        if episode % 50 == 49:
            print(f"episode {episode + 1} mean length {sum(lengths[-50:]) / 50:.1f}")


if __name__ == "__main__":
    main()
