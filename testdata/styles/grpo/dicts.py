"""GRPO whose batches are dicts: prompts in, one dict through rollout, scoring and update."""

import torch
import torch.nn as nn
import torch.nn.functional as F

config = {"group": 6, "clip_eps": 0.2, "kl_coef": 0.02, "lr": 5e-4, "epochs": 2, "length": 8, "steps": 40}  # found: KL017
# bug ADV019, ADV020: config = {"group": 1, "clip_eps": 0.2, "kl_coef": 0.02, "lr": 5e-4, "epochs": 2, "length": 8, "steps": 40}


class CausalLM(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.mix = nn.LSTM(dim, dim, batch_first=True)
        self.lm_head = nn.Linear(dim, vocab)

    def forward(self, input_ids):
        return {"logits": self.lm_head(self.mix(self.tok(input_ids))[0])}


def selected_logps(model, batch):
    logits = model(batch["ids"][:, :-1])["logits"]
    return F.log_softmax(logits, dim=-1).gather(-1, batch["ids"][:, 1:].unsqueeze(-1)).squeeze(-1)
    # bug DIST025: return F.log_softmax(logits, dim=1).gather(-1, batch["ids"][:, 1:].unsqueeze(-1)).squeeze(-1)


def make_batch(model, prompts):
    batch = {"ids": prompts.repeat_interleave(config["group"], 0)}
    with torch.no_grad():
        for _ in range(config["length"]):
            out = model(batch["ids"])
            p = F.softmax(out["logits"][:, -1], -1)
            # bug DIST023: p = out["logits"][:, -1]
            nxt = torch.multinomial(p, 1)  # found: DIST023
            batch["ids"] = torch.cat([batch["ids"], nxt], 1)
    batch["mask"] = torch.ones_like(batch["ids"][:, 1:], dtype=torch.float)
    return batch


def add_scores(batch):
    batch["reward"] = (batch["ids"][:, 1:] % 2 == 0).float().mean(-1)
    grouped = batch["reward"].view(-1, config["group"])
    mu, sigma = grouped.mean(1, keepdim=True), grouped.std(1, keepdim=True)  # found: ADV019
    batch["adv"] = ((grouped - mu) / (sigma + 1e-4)).view(-1, 1)  # found: ADV020
    # bug ADV009: batch["adv"] = ((grouped - mu) / sigma).view(-1, 1)
    return batch


def add_logps(batch, model, ref):
    with torch.no_grad():
        # bug OBJ007: if True:
        batch["old_logp"] = selected_logps(model, batch)
        batch["ref_logp"] = selected_logps(ref, batch)  # found: KL016
    return batch


def compute_loss(model, batch):
    logp = selected_logps(model, batch)
    ratio = torch.exp(logp - batch["old_logp"])  # found: OBJ007
    # bug OBJ001: ratio = logp - batch["old_logp"]
    # bug OBJ020: ratio = torch.exp(batch["old_logp"] - logp)
    low, high = 1 - config["clip_eps"], 1 + config["clip_eps"]
    # bug OBJ022: low, high = -config["clip_eps"], config["clip_eps"]
    s1 = ratio * batch["adv"]
    s2 = torch.clamp(ratio, low, high) * batch["adv"]  # found: OBJ022
    policy = -torch.min(s1, s2)
    # bug OBJ002: policy = -torch.max(s1, s2)
    delta = batch["ref_logp"] - logp
    kl = torch.exp(delta) - delta - 1
    # bug KL002: kl = -delta
    total = policy + config["kl_coef"] * kl  # found: KL002
    # bug KL001: total = policy - config["kl_coef"] * kl
    # bug KL016, KL017: total = policy
    # bug KL017: total = policy + kl
    # bug KL004: total = policy + config["kl_coef"] * kl.data
    loss = (total * batch["mask"]).sum() / batch["mask"].sum()
    return {"loss": loss, "kl": kl.mean().item(), "ratio": ratio.mean().item()}


def main():
    torch.manual_seed(1)
    model = CausalLM(10, 32)
    ref = CausalLM(10, 32)
    ref.load_state_dict(model.state_dict())
    ref.requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
    for step in range(config["steps"]):
        prompts = torch.randint(0, 10, (4, 2))
        batch = add_logps(add_scores(make_batch(model, prompts)), model, ref)
        for _ in range(config["epochs"]):
            out = compute_loss(model, batch)
            optimizer.zero_grad()
            out["loss"].backward()
            optimizer.step()
        if step % 10 == 0:
            print({"step": step, "reward": batch["reward"].mean().item(), "kl": out["kl"]})


if __name__ == "__main__":
    main()
