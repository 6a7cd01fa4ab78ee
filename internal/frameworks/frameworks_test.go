package frameworks

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
)

var update = flag.Bool("update", false, "rewrite docs/frameworks.md")

// The texts of every row fit where findings are shown, with numbers in their places.
func TestTexts(t *testing.T) {
	for _, table := range Tables() {
		for i := range table.Check {
			c := &table.Check[i]
			r := NewRun(table, nil, runconf.Span{})
			for key := range table.Field {
				value := runconf.Of("0.0001")
				if strings.Contains(c.Headline, "{#"+key+"}") {
					value = runconf.Value{Kind: runconf.List, Items: make([]runconf.Value, 12)}
				}
				r.given[key] = runconf.Setting{Key: key, Value: value}
			}
			h := Hit{Check: c, Run: r}
			for _, part := range []struct {
				name, text string
				longest    int
			}{{"headline", c.Headline, finding.MaxHeadline}, {"why", c.Why, 160}, {"help", c.Help, 120}} {
				said := h.Say(part.text)
				if n := utf8.RuneCountInString(said); n == 0 || n > part.longest || strings.HasSuffix(said, ".") || strings.ContainsAny(said, "{}\n") && !strings.Contains(said, "${") {
					t.Errorf("%s, %v: %s of %d characters: %q", table.Name, c.At, part.name, n, said)
				}
			}
		}
	}
}

// Every table says what it is of, and is told from the others by its commands and documents.
func TestTables(t *testing.T) {
	for _, table := range Tables() {
		if table.Title == "" || table.Package == "" || table.Repository == "" || table.Read == "" || table.Since == "" {
			t.Errorf("%s: title, package, repository, read and since are required", table.Name)
		}
		for _, c := range table.Command {
			if n := len(slices.DeleteFunc([]string{c.Module, c.Script, strings.Join(c.Words, " ")}, func(s string) bool { return s == "" })); n != 1 {
				t.Errorf("%s: a command is recognised by one of module, script and words", table.Name)
			}
		}
	}
}

// runOf reads a script and returns its only run.
func runOf(t *testing.T, script string) *Run {
	t.Helper()
	runs, _, err := Read(source.Shell, []byte(script), nil)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v: %s", len(runs), err, script)
	}
	return runs[0]
}

// Entry points are found behind what launches them, and not where they are only mentioned.
func TestCommands(t *testing.T) {
	for _, launch := range []string{
		"python -m verl.trainer.main_ppo", "nohup env A=b python3 -u -m verl.trainer.main_ppo", "uv run python -m verl.trainer.main_ppo",
		"torchrun --nproc_per_node 8 -m verl.trainer.main_ppo", "ray job submit --address x -- python3 -m verl.trainer.main_ppo",
		"CUDA_VISIBLE_DEVICES=0 srun -n 1 python -m verl.trainer.main_ppo", "time python -m verl.trainer.main_ppo",
	} {
		r := runOf(t, launch+" algorithm.gamma=0.9 2>&1 | tee log")
		if v, known := r.Value("algorithm.gamma"); r.Name != "verl" || !known || v.Text != "0.9" {
			t.Errorf("%s: %s, gamma %v", launch, r.Name, v)
		}
	}
	for _, mention := range []string{"echo python -m verl.trainer.main_ppo x=1", "pip install trl grpo", "pkill -f verl.trainer.main_ppo", "python train.py"} {
		if runs, _, err := Read(source.Shell, []byte(mention), nil); err != nil || len(runs) > 0 {
			t.Errorf("%s: %d runs, %v", mention, len(runs), err)
		}
	}
}

// How many processes train is known where a launch says it, and nowhere else.
func TestLaunchers(t *testing.T) {
	files := &runconf.Around{Path: "/project/run.sh", Root: "/project", Read: func(path string) []byte {
		return map[string][]byte{"/project/four.yaml": []byte("distributed_type: MULTI_GPU\nnum_processes: 4 # GPUs\n"), "/project/none.yaml": []byte("num_machines: 4\n")}[path]
	}}
	for launch, want := range map[string]string{
		"python -m": "1", "python3.11 -u -m": "1", "CUDA_VISIBLE_DEVICES=0 python -m": "1", "nohup python -m": "", "srun -n 8 python -m": "",
		"accelerate launch -m": "", "accelerate launch --num_processes 8 -m": "8", "accelerate launch --num-processes=8 --num_machines 2 -m": "8",
		"accelerate launch --config_file four.yaml -m": "4", "accelerate launch --config_file four.yaml --num_processes 2 -m": "2",
		"accelerate launch --config_file none.yaml -m": "", "accelerate launch --config_file gone.yaml -m": "", "accelerate launch --num_processes $N -m": "",
		"python -m accelerate.commands.launch --num_processes 3 -m": "3", "accelerate launch $FLAGS -m": "",
		"torchrun --nproc_per_node 8 -m": "8", "torchrun --nproc-per-node=8 --nnodes=2 -m": "16", "torchrun --nproc_per_node gpu -m": "", "torchrun -m": "",
		"torchrun --nproc_per_node 8 --nnodes 1:4 -m": "", "srun torchrun --nproc_per_node 8 --nnodes $N -m": "", "python -m torch.distributed.run --nproc_per_node 2 -m": "2",
		"deepspeed --num_gpus 4 --module": "4", "deepspeed --num_gpus 4 --num_nodes 2 --module": "8", "deepspeed --hostfile hosts --num_gpus 4 --module": "", "deepspeed --module": "",
	} {
		runs, _, err := Read(source.Shell, []byte(launch+" trl.scripts.grpo --num_generations 8\n"), files)
		if err != nil || len(runs) != 1 {
			t.Errorf("%s: %d runs, %v", launch, len(runs), err)
			continue
		}
		if v, known := runs[0].Value("processes"); v.Text != want || known != (want != "") {
			t.Errorf("%s: %q processes, %v, want %q", launch, v.Text, known, want)
		}
	}
}

// Flags come in every spelling, and the last of several counts.
func TestArguments(t *testing.T) {
	flags := runOf(t, "swift rlhf --rlhf_type grpo --num-generations=4 --num_generations 8 --loss_weights 1 -0.5 --dynamic_sample --model $M --beta\n")
	for key, want := range map[string]string{"rlhf_type": "grpo", "num_generations": "8", "dynamic_sample": "true", "beta": "true"} {
		if v, known := flags.Value(key); !known || v.Text != want {
			t.Errorf("%s: %q, %v", key, v.Text, known)
		}
	}
	if n, ok := flags.number("#loss_weights"); !ok || n != 2 {
		t.Errorf("loss_weights: %v, %v", n, ok)
	}
	if _, known := flags.Value("model"); known {
		t.Error("the model is not known")
	}
	hydra := runOf(t, "python -m verl.trainer.main_ppo +algorithm.gamma=0.9 ++algorithm.lam='0.8' algorithm.adv_estimator=rloo ~algorithm.adv_estimator actor_rollout_ref.model.path=null\n")
	for key, want := range map[string]string{"algorithm.gamma": "0.9", "algorithm.lam": "0.8", "algorithm.adv_estimator": "gae"} {
		if v, known := hydra.Value(key); !known || v.Text != want {
			t.Errorf("%s: %q, %v", key, v.Text, known)
		}
	}
}

// What comes from elsewhere leaves defaults unknown.
func TestOpen(t *testing.T) {
	for script, open := range map[string]bool{
		"python -m verl.trainer.main_ppo \"$@\"": false, "python -m verl.trainer.main_ppo $EXTRA": true,
		"python -m verl.trainer.main_ppo --config-name=x": true, "trl grpo --config x.yaml": true, "python -m verl.trainer.main_ppo $KEY=1": true,
	} {
		if r := runOf(t, script); r.Open != open {
			t.Errorf("%s: open %v", script, r.Open)
		}
	}
}

// Defaults go by the version, and an unknown version has only what all have.
func TestVersions(t *testing.T) {
	table := &Table{Since: "2.0", Field: map[string]Field{"x": {Default: int64(3), Before: []Older{{"1.5", int64(1)}, {"2.5", int64(2)}}}}}
	for version, want := range map[string]string{"1.0": "1", "2.1": "2", "2.5": "3", "3": "3", "": ""} {
		r := NewRun(table, nil, runconf.Span{})
		r.version = version
		if v, _ := r.Value("x"); v.Text != want {
			t.Errorf("version %q: %q, want %q", version, v.Text, want)
		}
	}
}

// What looks like a number is one to the frameworks whose reader makes one of it.
func TestLoaders(t *testing.T) {
	for loader, want := range map[string]string{"": "0", "pyyaml": "0", "omegaconf": "01", "typed": "012"} {
		r := NewRun(&Table{Loader: loader, aliases: map[string]string{"x": "x"}}, nil, runconf.Span{})
		got := ""
		for _, by := range []runconf.Reading{runconf.ByLooks, runconf.ByDot, runconf.AsString} {
			r.Add(runconf.Setting{Key: "x", Value: runconf.Value{Kind: runconf.Text, Text: "1e-5", Reads: by}})
			if _, isNumber := r.number("x"); isNumber {
				got += fmt.Sprint(by)
			}
		}
		if got != want {
			t.Errorf("%q: numbers are those of the readings %s, want %s", loader, got, want)
		}
	}
	for name, want := range map[string]bool{"08": false, "'1e-6'": false, "1e-6": true, "0": true} {
		if _, isNumber := literal(name).Number(); isNumber != want {
			t.Errorf("Hydra's %s is a number: %v", name, isNumber)
		}
	}
}

// A table that extends another one has its fields and checks, but for its own and for the rules that do not hold.
func TestExtends(t *testing.T) {
	head := "title = \"x\"\n"
	row := "[[check]]\nrule = \"%s\"\nat = [\"a\"]\nwhen = [\"a > 1\"]\nsource = \"s\"\n"
	base, err := parse("base", []byte(head+"[field]\na = { default = 1 }\nb = { default = 2 }\n"+fmt.Sprintf(row, "one")+fmt.Sprintf(row, "two")), nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := parse("own", []byte(head+"extends = \"base\"\nwithout = [\"two\"]\n[field]\na = { default = 3 }\n"), []*Table{base})
	if err != nil {
		t.Fatal(err)
	}
	r := NewRun(own, nil, runconf.Span{})
	a, _ := r.Value("a")
	b, _ := r.Value("b")
	if a.Text != "3" || b.Text != "2" || len(own.Check) != 1 || own.Check[0].Rule != "one" {
		t.Errorf("a %v, b %v, checks %v", a, b, own.Check)
	}
	if _, err := parse("own", []byte(head+"extends = \"none\"\n"), nil); err == nil {
		t.Error("a table that is not there is extended")
	}
}

// A class belongs to the framework that patches it, where that is imported.
func TestPatched(t *testing.T) {
	for imports, want := range map[string]string{"unsloth": "unsloth", "transformers": "trl"} {
		if table, _ := Calls("trl.trainer.GRPOConfig", []string{imports}); table == nil || table.Name != want {
			t.Errorf("beside %s: %v", imports, table)
		}
	}
}

// The page lists what is checked for each framework.
func TestPage(t *testing.T) {
	const path = "../../docs/frameworks.md"
	got := page()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		t.Errorf("%s is not current (%v): go test ./internal/frameworks -update", path, err)
	}
}

const pageHead = `# Configurations of training frameworks

` + "`rlvet check`" + ` reads YAML, TOML, JSON, shell scripts that launch training, and the calls of Python that configure a trainer, and checks them by tables: a
row says which settings of a framework do not go together, and names the source that says so. Nothing is run.
Most of the rules that ask the tables are on by default; those that judge by orders of magnitude (learning rates, lengths, truncated sampling) are in
preview: ` + "`rlvet check --preview`" + `, or ` + "`preview = true`" + ` in the settings.

Files of the project that a configuration names are read with it: scripts that a script sources, the file behind ` + "`--config`" + `, ` + "`@`" + ` or Hydra's
` + "`--config-name`" + `, and what that starts from (` + "`defaults`" + `). If a launch starts a script of your own (` + "`accelerate launch train.py --beta 0.1`" + `),
rlvet takes the flags from the classes of the script's HfArgumentParser or TrlParser. If the script makes its only configuration itself, rlvet judges
the number of processes of the launch together with the literals in it. What is written nearer to the command counts, and a finding stands where the
deciding setting is written. A configuration that another checked file names is judged only as that run has it. Read are also the files that pin versions (lock files, pyproject.toml, requirements) and, where none does, the names of the packages in
the environment beside the program (.venv, venv) or in the active one ($VIRTUAL_ENV). A value that is not known is
never reported: of the environment, of a template, of a file that is not in the project. [How launch scripts and YAML are read](shell-and-yaml.md) shows what bash and
PyYAML make of what people write.

If a project does not say which version it uses, rlvet reports only what holds since the version under *Reckoned from*. A framework is
a file of ` + "`internal/frameworks`" + `; a setting that is not in it is not read.

| Framework | Read | Reckoned from | Settings | Checks |
| --- | --- | --- | --: | --: |
`

// placeholder is where a finding says the value of a setting; the page names the setting there.
var placeholder = regexp.MustCompile(`\{#?([^}]+)\}`)

func page() string {
	tables := slices.Clone(Tables())
	slices.SortFunc(tables, func(a, b *Table) int { return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	var b strings.Builder
	b.WriteString(pageHead)
	for _, t := range tables {
		fmt.Fprintf(&b, "| [%s](https://github.com/%s) | %s | %s | %d | %d |\n", t.Title, t.Repository, t.Read, t.Since, len(t.Field)-1, len(t.Check))
	}
	for _, t := range tables {
		fmt.Fprintf(&b, "\n## %s\n\nRecognised by %s.\n\n| Rule | Setting | What is wrong |\n| --- | --- | --- |\n", t.Title, t.recognised())
		for i := range t.Check {
			c := &t.Check[i]
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", c.Rule, c.At[0], strings.ReplaceAll(placeholder.ReplaceAllString(c.Headline, "*$1*"), "|", `\|`))
		}
	}
	return b.String()
}

// recognised says by what a framework's configurations are known.
func (t *Table) recognised() string {
	var by []string
	for _, c := range t.Command {
		by = append(by, "`"+c.Module+c.Script+strings.Join(c.Words, " ")+"`")
	}
	for _, d := range t.Document {
		by = append(by, "the keys `"+strings.Join(append(slices.Clone(d.Keys), d.Any...), "`, `")+"`")
		if len(d.Bases) > 0 {
			by = append(by, "the bases `"+strings.Join(d.Bases, "`, `")+"`")
		}
	}
	for _, c := range t.Call {
		by = append(by, "`"+strings.Join(c.Class, "`, `")+"`")
	}
	return strings.Join(by, "; ")
}
