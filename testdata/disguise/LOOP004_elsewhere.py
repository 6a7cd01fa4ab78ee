"""Clips behind the step, of networks and optimizers that are made elsewhere."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


class Learner:
    def __init__(self, policy, critic, settings):
        self.policy = policy
        self.critic = critic
        self.critic_optim = settings.optimizer(self.critic.parameters())
        self.bound = settings.bound

    def learn(self, batches):
        for obs, actions, returns in batches:
            loss = -(self.policy.log_prob(obs, actions) * returns).mean()
            self.policy.optimizer.zero_grad()
            loss.backward()
            self.policy.optimizer.step()
            clip_grad_norm_(self.policy.parameters(), self.bound)  # bug: LOOP004

            value_loss = (self.critic(obs) - returns).pow(2).mean()
            self.critic_optim.zero_grad()
            value_loss.backward()
            self.critic_optim.step()
            clip_grad_norm_(self.critic.parameters(), self.bound)  # bug: LOOP004


def descend(optimizer, objective, bound):
    optimizer.zero_grad()
    objective.backward()
    optimizer.step()
    clip_grad_norm_(optimizer.param_groups[0]["params"], bound)  # bug: LOOP004


def fit(optimizers, objectives):
    for optimizer, objective in zip(optimizers, objectives):
        descend(optimizer, objective(), 1.0)
