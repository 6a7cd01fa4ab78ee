package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/frameworks"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name   string
		origin frameworks.Origin
		text   string
		want   []setting
	}{
		{"dataclass", frameworks.Origin{File: "a.py", Class: "Config"}, `
class Other:
    beta: float = 9.0

@dataclass
class Config(Base):
    """Doc."""
    beta: float = field(
        default=0.04,
        metadata={"help": "KL"},
    )
    top: int | None = None  # none
    names: list = field(default_factory=list)

class Last:
    gamma: float = 1.0
`, []setting{{"beta", "0.04"}, {"top", "null"}, {"names", ""}}},
		{"constructor", frameworks.Origin{File: "a.py", Class: "PPO"}, `
class PPO(Base):
    policies: ClassVar = {}

    def __init__(
        self,
        env: str,
        n_steps: int = 2048,
        clip: float | Schedule = 0.2,
    ):
        x: int = 3
`, []setting{{"n_steps", "2048"}, {"clip", "0.2"}}},
		{"argparse", frameworks.Origin{File: "a.py"}, `
    parser.add_argument("--kl.coef", type=float, default=0.01, help="KL (penalty)")
    parser.add_argument("--use-kl", action="store_true")
    parser.add_argument(
        "--mode",
        default="ppo",
    )
    parser.add_argument("--path", type=str)
`, []setting{{"kl.coef", "0.01"}, {"use_kl", "false"}, {"mode", "ppo"}, {"path", "null"}}},
		{"attributes", frameworks.Origin{File: "a.py", Class: "C"}, "class C(Base):\n    def __init__(self, of=None):\n        super().__init__()\n\n        self.lr = 5e-5\n        self.x: int = 1\n\n    @property\n    def y(self):\n        self.z = 1\n",
			[]setting{{"lr", "5e-5"}, {"x", "1"}}},
		{"yaml", frameworks.Origin{File: "a.yaml"}, "a:\n  b: 1e-6\n  c: null\n  d: ???\n", []setting{{"a.b", "1e-6"}, {"a.c", "null"}}},
	} {
		got, err := settings(c.origin, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(setting{})); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// A default that changed and a field that is gone are told.
func TestCompare(t *testing.T) {
	r, err := run("nemorl", func(string) (string, error) {
		return "grpo:\n  num_generations_per_prompt: 16\n  new_setting: 1\n", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.missing) != 1 || !strings.Contains(r.missing[0], "grpo.new_setting = 1") || len(r.unknown) == 0 {
		t.Errorf("missing %q, unknown %q", r.missing, r.unknown)
	}
	if r, err = run("cleanrl", func(string) (string, error) { return "", errors.New("gone") }); err == nil {
		t.Errorf("%v without sources", r)
	}
}
