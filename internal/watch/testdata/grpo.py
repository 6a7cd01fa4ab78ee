"""GRPO of a small language model: groups, mini-epochs, PPO's clip and a KL (k3) to a reference. After each
mini-epoch it prints what a program logs, over the tokens that were written, to be compared."""
import copy
import torch

torch.manual_seed(0)
WORDS, END, PROMPT, LENGTH, PROMPTS, GROUP, CLIP, BETA = 12, 0, 3, 6, 8, 8, 0.2, 0.04


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(WORDS, 32)
        self.body = torch.nn.GRU(32, 32, batch_first=True)
        self.head = torch.nn.Linear(32, WORDS)

    def forward(self, tokens):
        return self.head(self.body(self.embed(tokens))[0])

    def logp(self, tokens):
        logits = self(tokens[:, :-1])[:, PROMPT - 1:]
        return logits.log_softmax(-1).gather(-1, tokens[:, PROMPT:, None]).squeeze(-1)


policy = Model()
reference = copy.deepcopy(policy)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)


@torch.no_grad()
def complete(tokens):
    for _ in range(LENGTH):
        tokens = torch.cat([tokens, torch.multinomial(policy(tokens)[:, -1].softmax(-1), 1)], 1)
    ends = (tokens[:, PROMPT:] == END).long()
    return tokens, ends.cumsum(1) - ends == 0  # to the first end, with it


def log(ratios, kls):
    r, k = torch.cat(ratios).double(), torch.cat(kls).double()
    print("EPOCH %.8f %.6f %.8f %.8f" % (r.mean(), ((r - 1).abs() > CLIP).double().mean(), (r - 1 - r.log()).mean(), k.mean()))


for update in range(4):
    tokens, mask = complete(torch.randint(1, WORDS, (PROMPTS, PROMPT)).repeat_interleave(GROUP, 0))
    with torch.no_grad():
        old, ref = policy.logp(tokens), reference.logp(tokens)
    rewards = ((tokens[:, PROMPT:] == tokens[:, :1]) & mask).sum(1).float().view(PROMPTS, GROUP)
    advantages = ((rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-6)).view(-1, 1)
    for epoch in range(3):
        ratios, kls = [], []
        for rows in torch.randperm(PROMPTS * GROUP).split(20):
            written = mask[rows]
            logp = policy.logp(tokens[rows])
            ratio = torch.exp(logp - old[rows])
            surrogate = torch.min(ratio * advantages[rows], ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[rows])
            difference = ref[rows] - logp
            kl = difference.exp() - difference - 1
            loss = -((surrogate - BETA * kl) * written).sum() / written.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ratios.append(ratio.detach()[written])
            kls.append(kl.detach()[written])
        log(ratios, kls)
