package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rlvet/rlvet/internal/pass"
)

// withoutEffect reports settings without effect: sync_ref_model, by TRL's default of beta, since 0.19 only.
var withoutEffect = pass.ConfigRule([]byte("---\ncode: EFFECT01\nname: setting-without-effect\nfamily: configuration\n---\n\n## What it finds\n\nSettings.\n"))

// What no file pins is as old as what is installed beside the program, or else in the active environment.
func TestInstalled(t *testing.T) {
	const program = "-- setup.py --\n-- src/a.py --\nfrom trl import GRPOConfig\n\nGRPOConfig(sync_ref_model=True)\n"
	const old = "/lib/python3.12/site-packages/trl-0.17.0.dist-info/METADATA"
	active := filepath.Join(t.TempDir(), "active")
	if err := os.MkdirAll(filepath.Join(active, filepath.Dir(old)), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, files, active string
		found               int
	}{
		{"nothing", "", "", 1},
		{"beside", "-- .venv" + old + " --\nVersion: 0.17.0\n", "", 0},
		{"another package", "-- .venv/lib/python3.12/site-packages/trlx-0.1.dist-info/METADATA --\n", "", 1},
		{"two Pythons", "-- .venv" + old + " --\n-- .venv/lib/python3.9/site-packages/trl-0.9.dist-info/METADATA --\n", "", 1},
		{"a pin counts more", "-- requirements.txt --\ntrl==0.21\n-- venv" + old + " --\n", "", 1},
		{"active", "", active, 0},
		{"beside counts more than active", "-- venv/lib/python3.12/site-packages/trl-0.22.dist-info/METADATA --\n", active, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("VIRTUAL_ENV", c.active)
			_, o := project(t, program+c.files, withoutEffect)
			if got := check(t, []string{"src/a.py"}, o).Findings; len(got) != c.found {
				t.Errorf("findings %v, want %d", got, c.found)
			}
		})
	}
}
