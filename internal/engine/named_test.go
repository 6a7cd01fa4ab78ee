package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/source"
)

// groups reports groups of one, as the tables have them.
var groups = pass.ConfigRule([]byte("---\ncode: GROUP001\nname: group-of-one\nfamily: configuration\n---\n\n## What it finds\n\nGroups.\n"))

const launch = "source \"$(dirname \"$0\")/lib/args.sh\"\npython3 -m verl.trainer.main_ppo --config-path=conf --config-name=$NAME\n"

// A finding lies in the file that a script names, and a cache says what one without says, whatever file was changed.
func TestNamedFiles(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("setup.py", "")
	write("run.sh", launch)
	write("lib/args.sh", "NAME=one\n")
	write("conf/one.yaml", "defaults: [ppo_trainer]\nalgorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {n: 1}}\n")
	write("conf/many.yaml", "defaults: [ppo_trainer]\nalgorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {n: 8}}\n")
	cache, buffers, settled := engine.NewCache(), map[string]*source.File{}, false
	script := filepath.Join(root, "run.sh")
	expect := func(what string, want ...string) {
		t.Helper()
		for _, c := range []*engine.Cache{nil, cache} {
			o := engine.Options{Analyzers: []*analysis.Analyzer{groups}, Cache: c, Settled: settled && c != nil, Buffers: buffers, Named: map[string]bool{script: true}}
			res, err := engine.Check(context.Background(), []string{script}, o)
			if err != nil {
				t.Fatal(err)
			}
			got := places(res)
			for i := range got {
				got[i], _ = filepath.Rel(root, got[i])
			}
			if !slices.Equal(got, want) || len(res.Problems) > 0 {
				t.Errorf("%s, cache %v: %s, problems %v", what, c != nil, cmp.Diff(want, got), res.Problems)
			}
		}
	}
	expect("as written", "conf/one.yaml:3 GROUP001")
	expect("again", "conf/one.yaml:3 GROUP001")
	settled = true
	buffers[filepath.Join(root, "lib/args.sh")] = text(t, filepath.Join(root, "lib/args.sh"), "NAME=many\n")
	expect("an editor changes what is sourced")
	delete(buffers, filepath.Join(root, "lib/args.sh"))
	settled = false
	expect("and drops the change", "conf/one.yaml:3 GROUP001")
	write("conf/one.yaml", "defaults: [ppo_trainer]\nalgorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {n: 16}}\n")
	expect("the configuration is mended")
	write("run.sh", launch[:len(launch)-1]+" actor_rollout_ref.rollout.n=1\n")
	expect("the script overrides it", "run.sh:2 GROUP001")
	write("lib/args.sh", "NAME=gone\n")
	expect("the configuration is not there")
	write("conf/gone.yaml", "defaults: [ppo_trainer]\nalgorithm: {adv_estimator: rloo}\n")
	expect("now it is", "run.sh:2 GROUP001")
}

// A copy of the framework that is put into the project, or taken out, changes what is said of its scripts, remembered or not.
func TestCopyOfFramework(t *testing.T) {
	root := t.TempDir()
	script, copied := filepath.Join(root, "runs", "run.sh"), filepath.Join(root, "external", "verl-0.4", "verl", "trainer")
	if err := os.MkdirAll(filepath.Dir(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{filepath.Join(root, "setup.py"): "", script: "python3 -m verl.trainer.main_ppo algorithm.filter_groups.enable=True\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	unread := pass.ConfigRule([]byte("---\ncode: UNREAD001\nname: setting-without-effect\nfamily: configuration\n---\n\n## What it finds\n\nSettings.\n"))
	cache := engine.NewCache()
	for i, want := range []int{1, 0, 1} {
		switch i {
		case 1:
			if err := os.MkdirAll(copied, 0o755); err != nil {
				t.Fatal(err)
			}
		case 2:
			if err := os.RemoveAll(filepath.Join(root, "external")); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []*engine.Cache{nil, cache} {
			res, err := engine.Check(context.Background(), []string{script}, engine.Options{Analyzers: []*analysis.Analyzer{unread}, Cache: c})
			if err != nil || len(res.Findings) != want {
				t.Errorf("step %d, cache %v: %d findings, want %d, %v", i, c != nil, len(res.Findings), want, err)
			}
		}
	}
}

// The default of an option is known, but a run may have another: a warning that says so.
func TestDefaultsOfOptions(t *testing.T) {
	t.Chdir(t.TempDir())
	paths, o := project(t, `-- a.py --
import argparse
import tyro
from dataclasses import dataclass
from trl import GRPOConfig

@dataclass
class Args:
    n: int = 1

p = argparse.ArgumentParser()
p.add_argument("-n", "--group", type=int, default=1)
p.add_argument("--free", type=int)
args = p.parse_args()
fields = tyro.cli(Args)
GRPOConfig(num_generations=args.group)
GRPOConfig(num_generations=fields.n)
GRPOConfig(num_generations=args.free)
GRPOConfig(num_generations=1)
-- b.py --
import click
from trl import GRPOConfig

@click.command()
@click.option("-g", "--group-size", "group", default=1)
@click.option("--free", type=int)
@click.option("--given", default=4)
def main(group, free, given):
    GRPOConfig(num_generations=group)
    GRPOConfig(num_generations=free)
    GRPOConfig(num_generations=given)

main()
`, groups)
	var got []string
	for _, f := range check(t, paths, o).Findings {
		line := fmt.Sprint(f.Range.Start.Row, f.Severity)
		for _, r := range f.Related {
			line += fmt.Sprint(" ", r.Range.Start.Row, r.Message)
		}
		got = append(got, line)
	}
	want := []string{
		"15warning 11the default of `--group`, unless a run sets it",
		"16warning 8the default of `n`, unless a run sets it",
		"18",
		"9warning 5the default of `--group-size`, unless a run sets it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The flags of a command reach the configuration that its script parses, whatever was remembered of it.
func TestNamedScripts(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const parser = "from trl import GRPOConfig, TrlParser\n\nargs, = TrlParser(GRPOConfig).parse_args_and_config()\n"
	write("setup.py", "")
	write("tune.py", parser)
	write("run.sh", "accelerate launch tune.py --num_generations 1\n")
	o := engine.Options{Analyzers: []*analysis.Analyzer{groups}, Cache: engine.NewCache()}
	expect := func(what string, want int) {
		t.Helper()
		if got := check(t, []string{filepath.Join(root, "run.sh")}, o).Findings; len(got) != want {
			t.Errorf("%s: %v, want %d", what, got, want)
		}
	}
	expect("as written", 1)
	expect("again", 1)
	write("tune.py", "print()\n")
	expect("the script parses nothing", 0)
	write("tune.py", parser)
	expect("now it does", 1)
}

// A configuration that another file starts from is judged as that has it.
func TestParts(t *testing.T) {
	const grpo = "defaults: [ppo_trainer]\nalgorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {n: 1}}\n"
	for what, c := range map[string]struct {
		files string
		want  []string
	}{
		"alone":            {"-- one.yaml --\n" + grpo, []string{"one.yaml:3 GROUP001"}},
		"a script has n":   {"-- one.yaml --\n" + grpo + "-- run.sh --\npython3 -m verl.trainer.main_ppo --config-path=\"$PWD\" --config-name=one actor_rollout_ref.rollout.n=8\n", nil},
		"nothing has n":    {"-- one.yaml --\ndefaults: [ppo_trainer]\nalgorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {name: vllm}}\n", nil},
		"a script has not": {"-- one.yaml --\n" + grpo + "-- run.sh --\npython3 -m verl.trainer.main_ppo --config-path=. --config-name=one\n", []string{"one.yaml:3 GROUP001"}},
		"nor has a script": {"-- one.yaml --\ndefaults: [ppo_trainer]\nalgorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {name: vllm}}\n" +
			"-- run.sh --\npython3 -m verl.trainer.main_ppo --config-path=. --config-name=one\n", []string{"one.yaml:2 GROUP001"}},
		"another has n": {"-- big.yaml --\ndefaults: [one]\nalgorithm: {adv_estimator: rloo}\nactor_rollout_ref: {rollout: {n: 8}}\n-- one.yaml --\n" + grpo, nil},
	} {
		t.Run(what, func(t *testing.T) {
			t.Chdir(t.TempDir())
			paths, o := project(t, c.files, groups)
			if diff := cmp.Diff(c.want, places(check(t, paths, o))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
