"""The mathematics of the objective: log-probs, group advantages, surrogate and KL estimate."""

import torch


def sequence_log_probs(model, tokens, prompt_length):
    """Return the log-prob of each completion token, shape (B, T)."""
    logits = model(tokens[:, :-1])[:, prompt_length - 1:]
    normaliser = torch.logsumexp(logits, dim=-1)
    taken = torch.gather(logits, -1, tokens[:, prompt_length:].unsqueeze(-1)).squeeze(-1)
    return taken - normaliser


def group_normalise(rewards, group_size):
    """Return rewards as advantages within their group, shape (B,)."""
    groups = rewards.view(-1, group_size)
    centred = groups - groups.mean(dim=1, keepdim=True)
    return torch.div(centred, groups.std(dim=1, keepdim=True)).flatten()  # bug: ADV009


def importance_ratio(new, old):
    return torch.sub(new, old)  # bug: OBJ001


def k3(new, ref):
    """Return the estimator exp(d) - d - 1 of KL(new || ref) for samples of new."""
    delta = ref - new
    return torch.expm1(delta) - delta


def grpo_loss(new, old, ref, advantages, clip):
    ratio = importance_ratio(new, old)
    weights = advantages.unsqueeze(1)
    surrogate = torch.minimum(ratio * weights, torch.clip(ratio, 1 - clip, 1 + clip) * weights)
    kl = k3(new, ref)
    loss = -surrogate.mean()
    return loss, {"ratio": ratio.mean().item(), "kl": kl.mean().item()}
