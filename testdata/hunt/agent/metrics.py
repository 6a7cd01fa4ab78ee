"""Numbers about a run: means, moments, and where they are written."""

import csv
import sys

import torch


class RunningMoments:
    """Mean and variance of vectors over all batches so far, by Chan's update."""

    def __init__(self, size, eps=1e-4):
        self.count = 0
        self.mean, self.spread, self.eps = torch.zeros(size), torch.zeros(size), eps

    def update(self, batch):
        n = len(batch)
        mean = batch.mean(0)
        spread = (batch - mean).pow(2).sum(0)
        total = self.count + n
        delta = mean - self.mean
        self.mean = self.mean + delta * (n / total)
        self.spread = self.spread + spread + delta.pow(2) * (self.count * n / total)
        self.count = total

    def variance(self):
        return self.spread / max(1, self.count)

    def deviation(self):
        return (self.variance() + self.eps).sqrt()

    def state(self):
        return {"count": self.count, "mean": self.mean, "spread": self.spread}

    def load(self, state):
        self.count, self.mean, self.spread = state["count"], state["mean"], state["spread"]


class Means:
    """Collects numbers under names."""

    def __init__(self):
        self.sums, self.counts = {}, {}

    def add(self, name, value):
        self.sums[name] = self.sums.get(name, 0.0) + float(value)
        self.counts[name] = self.counts.get(name, 0) + 1

    def add_all(self, **values):
        for name, value in values.items():
            self.add(name, value)

    def take(self):
        """Returns the means, and begins anew."""
        means = {name: self.sums[name] / self.counts[name] for name in self.sums}
        self.sums, self.counts = {}, {}
        return means


def explained_variance(predicted, actual):
    """1 - Var(actual - predicted) / Var(actual); 0 where nothing varies."""
    variance = actual.var()
    if variance < 1e-12:
        return 0.0
    return float(1 - (actual - predicted).var() / variance)


class Console:
    """A line an iteration, on standard output."""

    columns = ("return", "length", "policy", "value", "entropy", "kl", "explained", "norm")

    def __init__(self, every, stream=None):
        self.every, self.stream = every, stream or sys.stdout

    def write(self, iteration, numbers):
        if self.every <= 0 or iteration % self.every:
            return
        shown = ["%s %.4g" % (name, numbers[name]) for name in self.columns if name in numbers]
        print("%4d  %s" % (iteration, "  ".join(shown)), file=self.stream, flush=True)

    def close(self):
        pass


class Table:
    """All numbers as CSV, a row an iteration; columns are those of the first row."""

    def __init__(self, path):
        self.file = open(path, "w", newline="", encoding="utf-8")
        self.writer = None

    def write(self, iteration, numbers):
        row = {"iteration": iteration, **numbers}
        if self.writer is None:
            self.writer = csv.DictWriter(self.file, list(row), restval="", extrasaction="ignore")
            self.writer.writeheader()
        self.writer.writerow(row)

    def close(self):
        self.file.close()


class Several:
    """Writes to each of several logs."""

    def __init__(self, logs):
        self.logs = logs

    def write(self, iteration, numbers):
        for log in self.logs:
            log.write(iteration, numbers)

    def close(self):
        for log in self.logs:
            log.close()


def logs(config):
    """Returns the logs that the settings ask for."""
    out = [Console(config.log_every)]
    if config.csv:
        out.append(Table(config.csv))
    return Several(out)


def episode_numbers(episodes):
    """Means over episodes, or nothing where none ended."""
    if not episodes:
        return {}
    returns, lengths = zip(*episodes)
    return {"return": sum(returns) / len(returns), "length": sum(lengths) / len(lengths)}
