package harness

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/torchtest"
)

// finite refutes what is finite.
const finite = `"""TST002: whether a tensor is finite."""
from rlvet_harness import Probe, numbers


class Finite(Probe):
    enough = 7

    def hit(self, hit):
        n = numbers(hit.value)
        self.show(value=n.mean)
        if n.bad:
            self.confirm("it is not finite", nan=n.nan)
`

// ranks trains on two ranks with gloo; how says how they are started.
const ranks = `import os, sys
os.environ.setdefault("USE_LIBUV", "0")  # Debian builds torch without it
import torch
import torch.distributed as dist

def train(rank, world):
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(1)
    layer = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for step in range(4):
        loss = «(layer(torch.randn(8, 4)) ** 2).mean()»
        optimizer.zero_grad()
        loss.backward()
        for p in layer.parameters():
            dist.all_reduce(p.grad)
        optimizer.step()
    dist.destroy_process_group()

`

// TestTorchChildren: the ways in which torch itself starts processes, or hides
// expressions; ranks talk to each other without a network, too.
func TestTorchChildren(t *testing.T) {
	python := torchtest.Python(t, "programs of several processes are NOT tried with the real torch")
	for _, c := range []struct {
		name, script string
		steps        int
		isolations   []Isolation
	}{
		{"torch.multiprocessing.spawn", ranks + `if __name__ == "__main__":
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "localhost", "A_FREE_ONE"
    torch.multiprocessing.spawn(train, args=(2,), nprocs=2)
`, 4, []Isolation{NoIsolation}},
		{"torchrun", ranks + `if __name__ == "__main__":
    if "RANK" in os.environ:
        train(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    else:
        import subprocess
        # 1.13 under Python 3.11 does not understand its own defaults of --redirects and --tee.
        own = ["--redirects", "0:1", "--tee", "0:1"] if torch.__version__.startswith("1.") else []
        run = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "--master_port", "A_FREE_ONE", *own, __file__]
        subprocess.run(run, check=True)
`, 4, []Isolation{UserNamespace, Bubblewrap}},
		{"workers of a DataLoader", `import torch
from torch.utils.data import DataLoader, Dataset

class Rollouts(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return «torch.randn(3) + i»

if __name__ == "__main__":
    for batch in DataLoader(Rollouts(), batch_size=2, num_workers=2):
        print(batch.shape)
`, 0, []Isolation{NoIsolation}},
		{"torch.compile", `import torch

def f(x):
    return «x * 2»

g = torch.compile(f) if hasattr(torch, "compile") else f
for i in range(8):
    g(torch.ones(3))
`, 0, []Isolation{NoIsolation}},
		{"torch.jit.script", `import torch

@torch.jit.script
def f(x: torch.Tensor) -> torch.Tensor:
    return «x * 2»

for i in range(8):
    f(torch.ones(3))
`, 0, []Isolation{NoIsolation}},
	} {
		for _, isolation := range c.isolations {
			t.Run(c.name+" "+string(isolation), func(t *testing.T) {
				if _, err := isolation.Resolve(); err != nil {
					t.Skipf("SKIPPED: programs are NOT run under %s: %v", isolation, err)
				}
				p := planOf(t, strings.ReplaceAll(c.script, "A_FREE_ONE", freePort(t)))
				var err error
				if p.Python, err = FindPython(t.Context(), python, p.Root); err != nil {
					t.Fatal(err)
				}
				p.Targets[0].Probe, p.Isolation, p.Limits.Timeout = finite, isolation, 5*time.Minute
				r, err := Run(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				e := r.Targets[0]
				if e.Verdict != Refuted || e.Seeds[0].Hits != 8 || r.Runs[0].Steps != c.steps {
					t.Errorf("%s after %d evaluations and %d steps: %s; want refuted after 8 and %d\n%s", e.Verdict, e.Seeds[0].Hits, r.Runs[0].Steps, e.Reason, c.steps, r.Runs[0].Output)
				}
			})
		}
	}
}

// freePort is a port of this machine on which nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
