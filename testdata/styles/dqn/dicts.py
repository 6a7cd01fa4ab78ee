"""DQN whose transitions and batches are dicts; an ensemble of environments in one tensor."""

import torch
import torch.nn as nn
import torch.nn.functional as F

hp = {"envs": 8, "size": 4000, "batch": 64, "gamma": 0.95, "tau": 0.01, "lr": 1e-3, "steps": 1500, "warmup": 50}
KEYS = ("obs", "action", "reward", "next_obs", "done")


def dynamics(state, action):
    state = (state + action * 2 - 1).clamp(0, 9)
    done = state == 9
    return state, done.float() - 0.01, done


def encode(state):
    return torch.stack([state / 9.0, (state % 2).float()], dim=-1)


def make_storage():
    n = hp["size"]
    return {
        "obs": torch.zeros(n, 2),
        "action": torch.zeros(n, dtype=torch.long),
        "reward": torch.zeros(n),
        "next_obs": torch.zeros(n, 2),
        "done": torch.zeros(n),
        "at": 0,
        "count": 0,
    }


def store(storage, rows):
    n = len(rows["action"])
    where = torch.arange(storage["at"], storage["at"] + n) % hp["size"]
    for key in KEYS:
        storage[key][where] = rows[key]
    storage["at"] = (storage["at"] + n) % hp["size"]
    storage["count"] = min(storage["count"] + n, hp["size"])


def draw(storage):
    index = torch.randint(storage["count"], (hp["batch"],))
    return {key: storage[key][index] for key in KEYS}


def loss_fn(nets, batch):
    q = nets["online"](batch["obs"])
    chosen = torch.gather(q, 1, batch["action"].unsqueeze(-1)).squeeze(-1)
    with torch.no_grad():
        following = nets["target"](batch["next_obs"]).max(dim=-1)[0]
    target = batch["reward"] + hp["gamma"] * (1 - batch["done"]) * following
    return {"loss": F.huber_loss(chosen, target), "q": chosen.mean().item()}


def build():
    online = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 2))
    # bug DIST012: online = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 2), nn.ReLU())
    target = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 2))
    # and: target = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 2), nn.ReLU())
    target.load_state_dict(online.state_dict())
    return {"online": online, "target": target}


def main():
    nets, storage = build(), make_storage()
    optimizer = torch.optim.Adam(nets["online"].parameters(), lr=hp["lr"])
    state = torch.zeros(hp["envs"], dtype=torch.long)
    for step in range(hp["steps"]):
        obs = encode(state)
        eps = max(0.05, 1 - step / 500)
        with torch.no_grad():
            greedy = nets["online"](obs).argmax(-1)
        explore = torch.rand(hp["envs"]) < eps
        action = torch.where(explore, torch.randint(2, (hp["envs"],)), greedy)
        following, reward, done = dynamics(state, action)
        rows = {"obs": obs, "action": action, "reward": reward, "next_obs": encode(following), "done": done.float()}
        store(storage, rows)
        state = torch.where(done, torch.zeros_like(following), following)
        if step < hp["warmup"]:
            continue
        out = loss_fn(nets, draw(storage))
        optimizer.zero_grad()
        out["loss"].backward()
        nn.utils.clip_grad_norm_(nets["online"].parameters(), 1.0)
        # bug LOOP004: optimizer.step()
        optimizer.step()
        # and: nn.utils.clip_grad_norm_(nets["online"].parameters(), 1.0)
        with torch.no_grad():
            for p, t in zip(nets["online"].parameters(), nets["target"].parameters()):
                t.lerp_(p, hp["tau"])
        if step % 250 == 0:
            print({"step": step, "loss": out["loss"].item(), "q": out["q"]})


if __name__ == "__main__":
    main()
