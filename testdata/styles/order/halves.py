# DPO with a concatenated forward pass
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

PAD = 0


class Pairs(Dataset):
    def __init__(self, n=512):
        g = torch.Generator().manual_seed(0)
        self.prompt = torch.randint(3, 30, (n, 5), generator=g)
        self.good = torch.randint(3, 16, (n, 6), generator=g)
        self.bad = torch.randint(16, 30, (n, 6), generator=g)

    def __len__(self):
        return len(self.prompt)

    def __getitem__(self, i):
        return {
            "chosen": torch.cat([self.prompt[i], self.good[i]]),
            "rejected": torch.cat([self.prompt[i], self.bad[i]]),
        }


class LM(nn.Module):
    def __init__(self, vocab=30, d=64):
        super().__init__()
        self.e = nn.Embedding(vocab, d)
        self.g = nn.GRU(d, d, batch_first=True)
        self.o = nn.Linear(d, vocab)

    def forward(self, ids):
        return self.o(self.g(self.e(ids))[0])


def sequence_logps(model, ids, prompt_len=5):
    logp = F.log_softmax(model(ids[:, :-1]), dim=-1)
    tok = logp.gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
    return tok[:, prompt_len - 1:].sum(1)


def forward_both(model, batch):
    ids = torch.cat([batch["chosen"], batch["rejected"]], dim=0)
    logps = sequence_logps(model, ids)
    n = batch["chosen"].shape[0]
    return logps[:n], logps[n:]
    # bug OFF070: return logps[0::2], logps[1::2]


def dpo_loss(pc, pr, rc, rr, beta=0.1):
    margin = beta * ((pc - rc) - (pr - rr))
    return -F.logsigmoid(margin).mean(), (margin > 0).float().mean()


def main():
    torch.manual_seed(0)
    policy = LM()
    ref = copy.deepcopy(policy).eval()
    for p in ref.parameters():
        p.requires_grad_(False)
    opt = torch.optim.Adam(policy.parameters(), lr=5e-4)
    loader = DataLoader(Pairs(), batch_size=32, shuffle=True)
    for epoch in range(5):
        for batch in loader:
            pc, pr = forward_both(policy, batch)
            with torch.no_grad():
                rc, rr = forward_both(ref, batch)
            loss, acc = dpo_loss(pc, pr, rc, rr)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item(), acc.item())


main()
