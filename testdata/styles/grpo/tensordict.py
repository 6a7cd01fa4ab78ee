"""GRPO over batches like TensorDict: a mapping of tensors that share their batch size."""

import copy

import torch
import torch.nn as nn


class TensorBatch:
    """A mapping of tensors that is indexed, stacked and moved as one."""

    def __init__(self, source, batch_size):
        self._data = dict(source)
        self.batch_size = batch_size

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._data[key]
        return TensorBatch({k: v[key] for k, v in self._data.items()}, len(key))

    def __setitem__(self, key, value):
        self._data[key] = value

    def get(self, key):
        return self._data[key]

    def set(self, key, value):
        self._data[key] = value
        return self

    def split(self, size):
        for index in torch.randperm(self.batch_size).split(size):
            yield self[index]


class Model(nn.Module):
    def __init__(self, vocab=6, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Embedding(vocab, dim), nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, vocab))

    def forward(self, td):
        td.set("logits", self.net(td.get("tokens")[:, :-1]))
        return td

    def log_prob(self, td):
        logits = self.forward(td).get("logits")
        logp = torch.log_softmax(logits, dim=-1)
        # bug DIST025: logp = torch.log_softmax(logits, dim=1)
        return logp.gather(-1, td.get("tokens")[:, 1:, None]).squeeze(-1)


@torch.no_grad()
def collect(model, prompts, group, length):
    tokens = prompts.repeat_interleave(group, 0)
    for _ in range(length):
        weights = model.net(tokens)[:, -1].softmax(-1)
        # bug DIST023: weights = model.net(tokens)[:, -1]
        tokens = torch.cat([tokens, torch.multinomial(weights, 1)], -1)  # found: DIST023
    td = TensorBatch({"tokens": tokens}, len(tokens))
    td["reward"] = (tokens[:, 1:] == 1).float().sum(-1)
    return td


class GRPOLoss(nn.Module):
    def __init__(self, actor, reference, clip_epsilon=0.2, kl_coeff=0.01):  # found: KL017
        super().__init__()
        self.actor, self.reference = actor, reference
        self.clip_epsilon, self.kl_coeff = clip_epsilon, kl_coeff

    def forward(self, td):
        log_prob = self.actor.log_prob(td)
        log_weight = log_prob - td.get("sample_log_prob")  # found: OBJ001, OBJ007
        # bug OBJ020: log_weight = td.get("sample_log_prob") - log_prob
        weight = log_weight.exp()  # found: OBJ020
        # bug OBJ001: weight = log_weight
        adv = td.get("advantage").unsqueeze(-1)
        clipped = weight.clamp(1 - self.clip_epsilon, 1 + self.clip_epsilon)
        # bug OBJ022: clipped = weight.clamp(-self.clip_epsilon, self.clip_epsilon)
        gain = torch.stack([weight * adv, clipped * adv]).min(dim=0).values
        # bug OBJ002: gain = torch.stack([weight * adv, clipped * adv]).max(dim=0).values
        with torch.no_grad():
            ref = self.reference.log_prob(td)
        kl = (ref - log_prob).expm1() - (ref - log_prob)  # found: KL001, KL016
        # bug KL002: kl = log_prob - ref
        out = {"loss_objective": -gain.mean(), "loss_kl": self.kl_coeff * kl.mean()}
        # bug KL001: out = {"loss_objective": -gain.mean(), "loss_kl": -self.kl_coeff * kl.mean()}
        # bug KL016, KL017: out = {"loss_objective": -gain.mean()}
        # bug KL017: out = {"loss_objective": -gain.mean(), "loss_kl": kl.mean()}
        # bug KL004: out = {"loss_objective": -gain.mean(), "loss_kl": self.kl_coeff * kl.mean().detach()}
        return out


def group_advantage(td, group):
    reward = td["reward"].unflatten(0, (-1, group))
    centred = reward - reward.mean(1, keepdim=True)  # found: ADV020
    td["advantage"] = (centred / reward.std(1, keepdim=True).clamp_min(1e-6)).flatten()  # found: ADV019
    # bug ADV009: td["advantage"] = (centred / reward.std(1, keepdim=True)).flatten()
    return td


def main(group=8, iterations=40):
# bug ADV019, ADV020: def main(group=1, iterations=40):
    actor = Model()
    loss_module = GRPOLoss(actor, copy.deepcopy(actor).requires_grad_(False))
    optim = torch.optim.Adam(actor.parameters(), lr=3e-3)
    for i in range(iterations):
        td = collect(actor, torch.randint(0, 6, (4, 1)), group, 6)
        td = group_advantage(td, group)
        with torch.no_grad():
            # bug OBJ007: if True:
            td.set("sample_log_prob", actor.log_prob(td))
        for _ in range(2):
            for mini in td.split(16):
                losses = loss_module(mini)
                loss = sum(losses.values())
                optim.zero_grad()
                loss.backward()
                optim.step()
        if i % 10 == 0:
            print(i, td["reward"].mean().item(), loss.item())


if __name__ == "__main__":
    main()
