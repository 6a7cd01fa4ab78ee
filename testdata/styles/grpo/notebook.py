# %% [markdown]
# # GRPO on a toy task, cell by cell

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"

# %%
V, T, G, P = 12, 10, 8, 4
# bug ADV019, ADV020: V, T, G, P = 12, 10, 1, 4
eps_clip, beta, lr, epochs = 0.2, 0.04, 1e-3, 2  # found: KL017


# %%
class TinyTransformer(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.tok = nn.Embedding(V, d)
        self.pos = nn.Embedding(T + 1, d)
        layer = nn.TransformerEncoderLayer(d, 2, 64, dropout=0.0, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, 1)
        self.out = nn.Linear(d, V)

    def forward(self, x):
        n = x.shape[1]
        h = self.tok(x) + self.pos(torch.arange(n, device=x.device))
        causal = torch.triu(torch.full((n, n), float("-inf"), device=x.device), diagonal=1)
        return self.out(self.blocks(h, mask=causal))


policy = TinyTransformer().to(device)
ref = TinyTransformer().to(device)
ref.load_state_dict(policy.state_dict())
for p in ref.parameters():
    p.requires_grad_(False)
optimizer = torch.optim.AdamW(policy.parameters(), lr=lr)


# %%
def logprobs_of(model, x):
    lp = F.log_softmax(model(x[:, :-1]), -1)
    # bug DIST025: lp = F.log_softmax(model(x[:, :-1]), 1)
    return lp.gather(-1, x[:, 1:].unsqueeze(-1)).squeeze(-1)


@torch.no_grad()
def sample(model, x):
    for _ in range(T):
        logits = model(x)[:, -1]
        x = torch.cat([x, torch.multinomial(F.softmax(logits, -1), 1)], 1)
        # bug DIST023: x = torch.cat([x, torch.multinomial(logits, 1)], 1)
    return x


def reward_fn(x):
    return (x[:, 1:] > x[:, :-1]).float().mean(1)


# %%
history = []
for step in range(30):
    start = torch.randint(0, V, (P, 1), device=device).repeat_interleave(G, 0)
    seqs = sample(policy, start)
    rewards = reward_fn(seqs)
    r = rewards.view(P, G)
    advantages = ((r - r.mean(1, keepdim=True)) / (r.std(1, keepdim=True) + 1e-8)).view(-1, 1)  # found: ADV019, ADV020
    # bug ADV009: advantages = ((r - r.mean(1, keepdim=True)) / r.std(1, keepdim=True)).view(-1, 1)
    with torch.no_grad():
        # bug OBJ007: if True:
        old_lp = logprobs_of(policy, seqs)
        ref_lp = logprobs_of(ref, seqs)  # found: KL016
    for _ in range(epochs):
        lp = logprobs_of(policy, seqs)
        ratio = (lp - old_lp).exp()  # found: OBJ007
        # bug OBJ001: ratio = lp - old_lp
        # bug OBJ020: ratio = (old_lp - lp).exp()
        surr = torch.min(ratio * advantages, ratio.clamp(1 - eps_clip, 1 + eps_clip) * advantages)
        # bug OBJ022: surr = torch.min(ratio * advantages, ratio.clamp(-eps_clip, eps_clip) * advantages)
        # bug OBJ002: surr = torch.max(ratio * advantages, ratio.clamp(1 - eps_clip, 1 + eps_clip) * advantages)
        kl = (ref_lp - lp).exp() - (ref_lp - lp) - 1
        # bug KL002: kl = lp - ref_lp
        loss = -(surr - beta * kl).mean()  # found: KL002
        # bug KL001: loss = -(surr + beta * kl).mean()
        # bug KL016, KL017: loss = -surr.mean()
        # bug KL017: loss = -(surr - kl).mean()
        # bug KL004: loss = -(surr - beta * kl.detach()).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        # bug LOOP004: optimizer.step()
        optimizer.step()
        # and: nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    history.append(rewards.mean().item())
    if step % 5 == 0:
        print(step, history[-1], kl.mean().item())

# %%
print("first", history[0], "last", history[-1])
