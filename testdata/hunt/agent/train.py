"""Trains an agent by PPO: python train.py --seed 3 --name forage."""

import os
import sys

import checkpoint
import config as settings
import env as environments
import evaluation
import metrics
import wrappers
from model import ActorCritic, summary
from ppo import PPO
from rollout import Collector
from seeding import seed_everything


class Trainer:
    """Puts the parts together."""

    def __init__(self, config):
        self.config = config
        seed_everything(config.seed)
        self.env = wrappers.wrap(environments.make(config.env), config.env)
        self.test_env = wrappers.wrap(environments.make(config.env, config.evaluation_worlds), config.env)
        self.model = ActorCritic(self.env, config.model)
        self.algorithm = PPO(self.model, config.ppo)
        self.collector = Collector(self.env, self.model)
        self.logs = metrics.logs(config)
        self.first = 0
        if config.checkpoint and os.path.exists(config.checkpoint):
            self.first = checkpoint.load(config.checkpoint, self.model, self.algorithm, self.env)

    def run(self):
        """Trains to the end; returns the score of the last evaluation."""
        ppo = self.config.ppo
        score = None
        try:
            for iteration in range(self.first, ppo.iterations):
                batch = self.collector.collect(ppo.steps, ppo.gamma, ppo.lam)
                numbers = self.algorithm.update(batch, iteration)
                numbers.update(metrics.episode_numbers(self.collector.take_episodes()))
                if self.config.evaluate_every and (iteration + 1) % self.config.evaluate_every == 0:
                    score = self.evaluate()
                    numbers["score"] = score.mean
                self.logs.write(iteration, numbers)
                if self.config.checkpoint:
                    checkpoint.save(self.config.checkpoint, self.model, self.algorithm, self.env, iteration)
        finally:
            self.logs.close()
        return score or self.evaluate()

    def evaluate(self):
        return evaluation.evaluate(self.model, self.env, self.test_env, self.config.evaluation_worlds)


def main(argv=None):
    try:
        config = settings.from_arguments(argv)
    except settings.ConfigError as error:
        print("train.py: %s" % error, file=sys.stderr)
        return 2
    trainer = Trainer(config)
    print(summary(trainer.model))
    print("score", trainer.run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
