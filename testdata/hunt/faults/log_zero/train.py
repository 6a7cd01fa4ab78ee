# kind: forward; seeds: 0,1; failing: 0,1
"""REINFORCE that writes words of five letters; the reward counts the vowels."""
import argparse
import torch


class Letters:
    """Appends a letter at each step; the episode ends after five."""

    size, length = 12, 5

    def reset(self):
        self.word = []
        return torch.zeros(self.size)

    def step(self, letter):
        self.word.append(letter)
        seen = torch.bincount(torch.tensor(self.word), minlength=self.size).float()
        return seen, 1.0 if letter % 4 == 0 else -0.2, len(self.word) == self.length


class Writer(torch.nn.Module):
    def __init__(self, env, temperature):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(env.size, 32), torch.nn.Tanh(), torch.nn.Linear(32, env.size)
        )
        self.temperature = temperature

    def forward(self, seen):
        return torch.softmax(self.net(seen) / self.temperature, dim=-1)


def score(probs):
    surprise = -torch.log(probs)  # first bad
    return surprise


def run(seed, temperature):
    torch.manual_seed(seed)
    env = Letters()
    writer = Writer(env, temperature)
    optimizer = torch.optim.Adam(writer.parameters(), lr=0.02)
    history = []
    for episode in range(120):
        seen, done = env.reset(), False
        picked, rewards, entropy = [], [], []
        while not done:
            probs = writer(seen)
            letter = torch.multinomial(probs, 1).item()
            surprise = score(probs)
            picked.append(surprise[letter])
            entropy.append((probs * surprise).sum())
            seen, reward, done = env.step(letter)
            rewards.append(reward)
        togo = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
        loss = (torch.stack(picked) * togo).sum() - 0.001 * torch.stack(entropy).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(sum(rewards))
    return sum(history[-20:]) / 20


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--temperature", type=float, default=0.02)
    args = parser.parse_args()
    print("reward of the last words", run(args.seed, args.temperature))
