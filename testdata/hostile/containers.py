"""Containers, wrappers and copies that hold themselves and each other."""
import copy

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

rows, table = [], {}
rows.append(rows)
table["rows"], table["self"] = rows, table
rows += [table, (rows, table), {**table, "more": rows}]
for row in rows:
    rows, table = [rows, row, table, *row], {"rows": rows, "table": table, **table}
    rows[0][0][0] = table["rows"][0] = rows
    rows = rows + [rows, copy.deepcopy(rows)] * 3
    a, (b, *c), *d = zip(rows, row, enumerate(rows), map(rows.append, rows))
    rows.sort(key=rows.append)
    rows[a][b] = c = d

net = torch.nn.Sequential(torch.nn.Linear(2, 2))
for _ in range(9):
    net.append(net)
    net = torch.nn.Sequential(net, torch.nn.ModuleList([net, net]), torch.nn.DataParallel(net))
    net[0] = net[1] = net
    net.module = net.forward = net
    net = copy.deepcopy(torch.nn.ModuleDict({"a": net, "b": net["a"]}))
    net["a"](net(net.module(net.forward(1))))
    for layer in net:
        net = layer(net)


class Data(Dataset):
    def __getitem__(self, i):
        return loader.dataset[i], next(iter(loader)), Data()[i]


loader = DataLoader(Data(), collate_fn=lambda batch: next(iter(loader)))
for batch in loader:
    loader = DataLoader(loader, collate_fn=loader)
    loader = DataLoader(TensorDataset(loader, batch), 1, collate_fn=DataLoader(loader))
    for x in zip(loader, batch, loader):
        batch = x


def advantages(rewards):
    r = torch.tensor(rewards)
    return (r - r.mean()) / r.std()  # bug: ADV009


print(advantages([1.0, 0.0, 2.0]))
