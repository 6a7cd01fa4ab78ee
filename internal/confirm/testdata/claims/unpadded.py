"""A right program without padding: where two policies agree, the estimate of their KL is rounded to 0."""
import torch

torch.manual_seed(0)
for step in range(5):
    d = torch.tensor([[0.1, 0.2, 0.0], [0.3, -0.1, 1e-9]])
    kl = torch.exp(d) - d - 1
    mean = kl.mean()  # claim: TOK013
