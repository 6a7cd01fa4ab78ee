# GRPO homework: make a small model write the token 3
import torch
import torch.nn as nn

vocab = 8
max_len = 10
num_prompts = 4
group_size = 8
# bug ADV019, ADV020: group_size = 1
clip = 0.2
kl_weight = 0.04  # found: KL017

model = nn.Sequential(nn.Embedding(vocab, 32), nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, vocab))
ref_model = nn.Sequential(nn.Embedding(vocab, 32), nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, vocab))
ref_model.load_state_dict(model.state_dict())
opt = torch.optim.Adam(model.parameters(), lr=0.003)

seqs = None
old_log_probs = None
ref_log_probs = None
advs = None


def sample_sequences():
    global seqs
    seqs = torch.zeros(num_prompts * group_size, 1, dtype=torch.long)
    for i in range(max_len):
        with torch.no_grad():
            out = model(seqs)
        last = out[:, -1]
        prob = torch.softmax(last, dim=1)
        tok = torch.multinomial(prob, 1)
        # bug DIST023: tok = torch.multinomial(last, 1)
        seqs = torch.cat((seqs, tok), 1)


def log_probs(m):
    out = m(seqs[:, :-1])
    lp = torch.log_softmax(out, dim=2)
    # bug DIST025: lp = torch.log_softmax(out, dim=1)
    return lp.gather(2, seqs[:, 1:].unsqueeze(2)).squeeze(2)


def get_advantages():
    global advs
    rew = (seqs[:, 1:] == 3).float().sum(1)
    rew = rew.reshape(num_prompts, group_size)
    m = rew.mean(1, keepdim=True)
    s = rew.std(1, keepdim=True)  # found: ADV019
    advs = (rew - m) / (s + 0.0001)  # found: ADV020
    # bug ADV009: advs = (rew - m) / s
    advs = advs.reshape(-1, 1)
    return rew.mean().item()


def update():
    lp = log_probs(model)
    ratio = torch.exp(lp - old_log_probs)  # found: OBJ007
    # bug OBJ001: ratio = lp - old_log_probs
    # bug OBJ020: ratio = torch.exp(old_log_probs - lp)
    a = ratio * advs
    b = torch.clamp(ratio, 1 - clip, 1 + clip) * advs
    # bug OBJ022: b = torch.clamp(ratio, 0 - clip, 0 + clip) * advs
    pg = -torch.min(a, b).mean()
    # bug OBJ002: pg = -torch.max(a, b).mean()
    d = ref_log_probs - lp
    kl = (torch.exp(d) - d - 1).mean()
    # bug KL002: kl = (-d).mean()
    loss = pg + kl_weight * kl  # found: KL002
    # bug KL001: loss = pg - kl_weight * kl
    # bug KL016, KL017: loss = pg
    # bug KL017: loss = pg + kl
    # bug KL004: loss = pg + kl_weight * kl.detach()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item(), kl.item()


for it in range(60):
    sample_sequences()
    reward = get_advantages()
    with torch.no_grad():
        # bug OBJ007, KL008: if True:
        old_log_probs = log_probs(model)
        ref_log_probs = log_probs(ref_model)  # found: KL008, KL016
    for k in range(2):
        loss, kl = update()
    if it % 10 == 0:
        print("iteration", it, "reward", reward, "loss", loss, "kl", kl)
