"""A spread in a field that is guarded too late, on one way only, or by one of two methods."""

import torch  # what is fitted are tensors

class OnOneWay:
    def fit(self, returns, careful):
        self.mean = returns.mean(0)
        self.std = returns.std(0)
        if careful:
            self.std[self.std < 1e-8] = 1.0

    def scale(self, returns):
        return (returns - self.mean) / self.std  # bug: ADV009


class TooLate:
    def fit(self, returns):
        self.mean = returns.mean(0)
        self.std = returns.std(0)
        scaled = self.scale(returns)
        self.std += 1e-8
        return scaled

    def scale(self, returns):
        return (returns - self.mean) / self.std  # bug: ADV009


class ByOneOfTwo:
    def fit(self, returns):
        self.mean = returns.mean(0)
        self.std = returns.std(0)
        self.std += 1e-8

    def fit_again(self, returns):
        self.mean = returns.mean(0)
        self.std = returns.std(0)

    def scale(self, returns):
        return (returns - self.mean) / self.std  # bug: ADV009


class NotBehindTheReturn:
    def fit(self, returns):
        self.mean = returns.mean(0)
        self.std = returns.std(0)
        if len(returns) > 100:
            return
        self.std += 1e-8

    def scale(self, returns):
        return (returns - self.mean) / self.std  # bug: ADV009
