package frameworks

import (
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
)

// A run has the settings of the files that it names, which its arguments override; what is not there makes it open.
func TestNamed(t *testing.T) {
	files := map[string]string{
		"/p/conf/mine.yaml":      "defaults:\n  - ppo_trainer\n  - base\n  - algo@algorithm: fast\nalgorithm:\n  gamma: 0.8\n",
		"/p/conf/base.yaml":      "algorithm:\n  gamma: 0.7\n  lam: 0.7\n",
		"/p/conf/algo/fast.yaml": "adv_estimator: rloo\n",
		"/p/conf/first.yaml":     "defaults:\n  - _self_\n  - base\n  - ppo_trainer\nalgorithm:\n  lam: 0.1\n",
		"/p/conf/lost.yaml":      "defaults:\n  - ppo_trainer\n  - missing\nalgorithm:\n  lam: 0.1\n",
		"/p/conf/cycle.yaml":     "defaults:\n  - ppo_trainer\n  - cycle\nalgorithm:\n  lam: 0.1\n",
		"/p/conf/alone.yaml":     "algorithm:\n  lam: 0.1\n",
		"/p/conf/whole.yaml":     "algorithm:\n  adv_estimator: grpo\nactor_rollout_ref:\n  rollout:\n    n: 1\n",
		"/p/conf/broken.yaml":    "a: [\n",
		"/p/grpo.yaml":           "num_generations: 4\nbeta: 0.1\n",
		"/p/two.yaml":            "a: 1\n---\nb: 2\n",
		"/p/rl.toml":             "seq_len = 64\n[orchestrator]\ngroup_size = 4\n[[orchestrator.train.source]]\nname = \"a\"\n",
		"/p/more.toml":           "[orchestrator]\ngroup_size = 8\n",
		"/p/train.toml":          "[optim]\nlr = 1e-4\n",
		"/p/src/own.py":          "from trl import (\n    GRPOConfig,\n    ModelConfig,\n    ScriptArguments,\n    TrlParser,\n)\n\nparser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))\nscript_args, training_args, model_args = parser.parse_args_and_config()\n",
		"/p/src/lora.py":         "from peft import LoraConfig\nfrom trl import GRPOConfig, ModelConfig, TrlParser\nargs, model = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()\nGRPOTrainer(args=args, reward_funcs=[right, m.brief],\n    peft_config=LoraConfig(r=8))\n",
		"/p/launch.yaml":         "num_processes: 6\nbeta: 0.1\n",
		"/p/acc.yaml":            "num_processes: 4\n",
		"/p/src/texts.py":        "from trl import GRPOConfig, TrlParser\nargs, = TrlParser(GRPOConfig).parse_args_and_config()\ntext = text.replace('a', 'b')\ndef replace(x): return x\nreplace(text)\n",
		"/p/src/copies.py":       "from dataclasses import replace as evolve\nfrom trl import GRPOConfig, TrlParser\nargs, = TrlParser(GRPOConfig).parse_args_and_config()\nargs = evolve(args, beta=1)\n",
		"/p/src/copied.py":       "import dataclasses as dc\nfrom trl import GRPOConfig, TrlParser\nargs, = TrlParser(GRPOConfig).parse_args_and_config()\nargs = dc.replace(args, beta=1)\n",
		"/p/src/changes.py":      "from trl import GRPOConfig, TrlParser\nargs, = TrlParser(GRPOConfig).parse_args_and_config()\nargs.beta = 0.3\n",
		"/p/src/derived.py":      "from transformers import HfArgumentParser\nimport trl\n\n\n@dataclass\nclass Mine(trl.DPOConfig):\n    note: str = ''\n\nparser = HfArgumentParser([Mine])\n",
		"/p/src/other.py":        "from transformers import HfArgumentParser, TrainingArguments\nHfArgumentParser((TrainingArguments,))\n",
		"/p/src/two.py":          "from trl import DPOConfig, GRPOConfig, TrlParser\nTrlParser((DPOConfig, GRPOConfig))\n",
		"/p/lf.json":             "{\"stage\": \"dpo\", // c\n \"pref_beta\": 0.2}",
	}
	around := &runconf.Around{Path: "/p/run.sh", Root: "/p", Read: func(path string) []byte {
		if text, ok := files[path]; ok {
			return []byte(text)
		}
		return nil
	}}
	const verl = "python3 -m verl.trainer.main_ppo "
	for _, c := range []struct{ in, key, want string }{
		{verl + "--config-path conf --config-name=mine", "algorithm.gamma", "0.8"},
		{verl + "--config-path=conf --config-name=mine", "algorithm.lam", "0.7"},
		{verl + "--config-path=conf --config-name=mine", "algorithm.adv_estimator", "rloo"},
		{verl + "--config-path=conf --config-name=mine", "data.train_batch_size", "1024"},
		{verl + "algorithm.gamma=0.9 --config-dir=conf --config-name=mine", "algorithm.gamma", "0.9"},
		{verl + "--config-path=/workspace/p/conf --config-name=first", "algorithm.lam", "0.7"},
		{verl + "--config-path=conf --config-name=lost", "algorithm.gamma", "?"},
		{verl + "--config-path=conf --config-name=lost", "algorithm.lam", "0.1"},
		{verl + "--config-path=conf --config-name=cycle", "algorithm.gamma", "?"},
		{verl + "--config-path=conf --config-name=alone", "algorithm.gamma", "?"},
		{verl + "--config-path=conf --config-name=whole", "actor_rollout_ref.rollout.n", "1"},
		{verl + "--config-path=conf --config-name=whole", "trainer.val_only", "false"},
		{verl + "--config-path=conf --config-name=whole", "algorithm.gamma", "?"},
		{verl + "--config-path=conf --config-name=whole $ARGS", "trainer.val_only", "?"},
		{verl + "--config-path=conf --config-name=whole $KEY=1", "trainer.val_only", "?"},
		{verl + "--config-path=conf --config-name=alone", "trainer.val_only", "?"},
		{verl + "--config-path=conf --config-name=lost", "trainer.val_only", "?"},
		{verl + "--config-path=conf --config-name=broken", "algorithm.gamma", "?"},
		{verl + "--config-path=conf --config-name=nowhere", "algorithm.gamma", "?"},
		{verl + "--config-path=conf --config-name=$X", "algorithm.gamma", "?"},
		{verl + "--config-path=config --config-name=ppo_megatron_trainer.yaml", "algorithm.gamma", "1"},
		{"trl grpo --config grpo.yaml", "beta", "0.1"},
		{"trl grpo --beta 0.2 --config grpo.yaml", "beta", "0.2"},
		{"trl grpo --config two.yaml", "beta", "?"},
		{"accelerate launch --num_processes 4 src/own.py --num_generations 16", "num_generations", "16"},
		{"torchrun --nproc_per_node=4 src/own.py --num_generations 16", "sync_ref_model", "false"},
		{"deepspeed src/own.py --config grpo.yaml --num-generations 16", "beta", "0.1"},
		{"deepspeed src/own.py --config gone.yaml", "sync_ref_model", "?"},
		{"python src/own.py --num_generations 16 $EXTRA", "sync_ref_model", "?"},
		{"python src/lora.py --num_generations 6", "steps_per_generation", ""},
		{"python src/lora.py --num_generations 6", "use_peft", "?"},
		{"python src/own.py", "trainer.peft_config", "?"},
		{"python src/changes.py --learning_rate 1e-4", "learning_rate", "1e-4"},
		{"python src/changes.py --learning_rate 1e-4", "beta", "?"},
		{"uv run python3 src/derived.py --beta 0.2", "beta", "0.2"},
		{"uv run python3 src/derived.py --beta 0.2", "label_smoothing", "?"},
		{"python -m trl.scripts.grpo --config grpo.yaml", "beta", "0.1"},
		{"accelerate launch -m trl.scripts.dpo --beta 0.5", "beta", "0.5"},
		{"accelerate launch --num_processes 2 trl/scripts/rloo.py --learning_rate 1e-5", "beta", "0.05"},
		{"trl grpo --config $C", "beta", "?"},
		{"accelerate launch --config_file z.yaml src/open_r1/grpo.py --config ./grpo.yaml --beta=0.3", "beta", "0.3"},
		{"llamafactory-cli train lf.json", "pref_beta", "0.2"},
		{"uv run rl @ rl.toml", "orchestrator.group_size", "4"},
		{"uv run rl @ rl.toml @ more.toml", "orchestrator.group_size", "8"},
		{"uv run rl @ rl.toml --trainer @ train.toml --orchestrator.group-size 16", "orchestrator.group_size", "16"},
		{"uv run rl @ rl.toml --trainer @ train.toml --orchestrator.group-size 16", "trainer.optim.lr", "1e-4"},
		{"rl --trainer @ train.toml --max-steps 3", "trainer.optim.lr", "1e-4"},
		{"rl --trainer @ train.toml --max-steps 3", "max_steps", "3"},
		{"rl @ rl.toml @ $OVERLAY", "seq_len", "64"},
		{"rl @ rl.toml @ $OVERLAY", "trainer.optim.lr", "?"},
		{"rl @ rl.toml", "trainer.optim.lr", "1e-06"},
		{"llamafactory-cli train lf.json pref_beta=0.4", "pref_beta", "0.4"},
		{"llamafactory-cli train gone.yaml", "pref_beta", "?"},
		{"trl grpo --num_processes 3 --beta 0.2", "processes", "3"},
		{"trl grpo --num_processes 3 --beta 0.2", "beta", "0.2"},
		{"trl grpo --num_processes=$N --beta 0.2", "processes", "?"},
		{"trl grpo --beta 0.2", "processes", "?"},
		{"trl grpo --config launch.yaml", "processes", "6"},
		{"trl grpo --config launch.yaml --num_processes 2", "processes", "2"},
		{"trl grpo --config_file acc.yaml", "processes", "4"},
		{"trl grpo --accelerate_config acc.yaml", "processes", "4"},
		{"trl grpo --accelerate_config zero3", "processes", "?"},
		{"python src/texts.py --learning_rate 1e-4", "beta", "0"},
		{"python src/copies.py --learning_rate 1e-4", "beta", "?"},
		{"python src/copied.py --learning_rate 1e-4", "beta", "?"},
		{"trl grpo --num_generations $N", "beta", "0"},
		{"trl grpo --sizes 1 2 $(seq 3)", "beta", "0"},
		{"trl grpo --sizes 1 $MORE", "beta", "?"},
		{"trl grpo --num_generations $EXTRA_ARGS", "beta", "?"},
		{"trl grpo --sync_ref_model $X", "beta", "?"},
	} {
		runs, _, err := Read(source.Shell, []byte("export X\n"+c.in+"\n"), around)
		if err != nil || len(runs) != 1 {
			t.Fatalf("%s: %d runs, %v", c.in, len(runs), err)
		}
		v, known := runs[0].Value(c.key)
		if !known {
			v.Text = "?"
		}
		if v.Text != c.want {
			t.Errorf("%s: %s is %q, want %q", c.in, c.key, v.Text, c.want)
		}
	}
	for _, none := range []string{"python src/other.py --beta 1", "python src/two.py --beta 1", "python src/gone.py --beta 1", "cat src/own.py", "src/own.py --beta 1"} {
		if runs, _, err := Read(source.Shell, []byte(none+"\n"), around); err != nil || len(runs) > 0 {
			t.Errorf("%s: %d runs, %v", none, len(runs), err)
		}
	}
	runs, _, _ := Read(source.Shell, []byte("trl grpo --config grpo.yaml --num_generations 8\n"), around)
	if at := runs[0].Given("beta").At; at.File != "/p/grpo.yaml" || files[at.File][at.Start:at.End] != "beta: 0.1" {
		t.Errorf("beta stands at %v", at)
	}
	if at := runs[0].Given("num_generations").At; at.File != "" {
		t.Errorf("num_generations stands at %v", at)
	}
}

// A check may go by what the command says and what the script has beside its parser.
func TestScriptsOfOnesOwn(t *testing.T) {
	const head = "from trl import GRPOConfig, GRPOTrainer, TrlParser\n\n@dataclass\nclass Own:\n    x: int = 0\n\nargs, own = TrlParser((GRPOConfig, Own)).parse_args_and_config()\n"
	for script, want := range map[string]string{
		head + "GRPOTrainer(args=args, reward_funcs=[right, m.brief],)\n":                                                              "counts sizes ",
		head + "GRPOTrainer(args=args, reward_funcs=[\n    right, brief, long,\n])\n":                                                  "sizes ",
		head + "GRPOTrainer(args=args, reward_funcs=[*more, brief])\n":                                                                 "sizes ",
		head + "GRPOTrainer(args=args, reward_funcs=[of(x) for x in y])\n":                                                             "sizes ",
		head + "if a:\n    reward_funcs = [a, b]\nreward_funcs = [a, b]\nGRPOTrainer(args=args)\n":                                     "sizes ",
		head + "GRPOTrainer(args=args, reward_funcs=[a, b, c], peft_config=LoraConfig(r=8))\n":                                         "sizes ",
		head + "args.num_generations = 4\nGRPOTrainer(args=args, reward_funcs=[a, b, c])\n":                                            "",
		"from trl import *\nclass Own(Other):\n    pass\nargs, own = TrlParser((GRPOConfig, Own)).parse_args_and_config()\nf = [a, b]": "",
	} {
		around := &runconf.Around{Path: "/p/run.sh", Root: "/p", Read: func(path string) []byte {
			return map[string][]byte{"/p/train.py": []byte(script), "/p/g.yaml": []byte("reward_weights: [1.0, 0.5, 0.2]\n")}[path]
		}}
		runs, _, err := Read(source.Shell, []byte("accelerate launch --num_processes 8 train.py --config g.yaml --num_generations 6 --per_device_train_batch_size 4 --gradient_accumulation_steps 4\n"), around)
		got := ""
		for _, r := range runs {
			for _, rule := range []string{"counts-do-not-match", "sizes-do-not-divide"} {
				if len(r.Hits(rule)) > 0 {
					got += rule[:strings.IndexByte(rule, '-')] + " "
				}
			}
		}
		if err != nil || got != want {
			t.Errorf("%q, want %q, %v of\n%s", got, want, err, script)
		}
	}
}

// What a framework's code makes of its settings is not said of a copy of it that the project holds, beside the script, above or below; what is
// wrong for any trainer still is.
func TestOwnCopy(t *testing.T) {
	const run = "python3 -m verl.trainer.main_ppo algorithm.filter_groups.enable=True algorithm.adv_estimator=grpo actor_rollout_ref.rollout.n=1 data.train_batch_size=16 actor_rollout_ref.actor.ppo_mini_batch_size=256\n"
	const document = "algorithm:\n  adv_estimator: grpo\n  kl_ctrl: {kl_coef: 0.1}\nactor_rollout_ref:\n  actor: {use_kl_loss: false}\n  rollout:\n    n: 1\ndata: {train_batch_size: 16}\n"
	for _, c := range []struct {
		folder string // that the project holds
		own    bool
	}{
		{"", false},
		{"/p/verl", false}, // of the project's own code, which bears the name
		{"/p/run/verl/trainer", true},
		{"/p/verl/trainer/ppo", true},
		{"/p/verl-0.4.x/verl/trainer", true},
		{"/p/external/verl/verl/trainer", true},
		{"/p/run/third_party/verl/verl/trainer", true},
		{"/p/a/b/c/verl/trainer", false}, // so deep lies much that no run starts
		{"/other/verl/trainer", false},
	} {
		folders := func(dir string) (names []string) {
			if rest, ok := strings.CutPrefix(c.folder+"/", strings.TrimSuffix(dir, "/")+"/"); ok && rest != "" {
				name, _, _ := strings.Cut(rest, "/")
				return []string{name}
			}
			return nil
		}
		for language, text := range map[source.Language]string{source.Shell: run, source.YAML: "defaults: [ppo_trainer]\n" + document} {
			around := &runconf.Around{Path: "/p/run/run.sh", Root: "/p", Read: func(string) []byte { return nil }, Folders: folders}
			runs, _, err := Read(language, []byte(text), around)
			if err != nil || len(runs) != 1 {
				t.Fatal(runs, err)
			}
			if got := len(runs[0].Hits("setting-without-effect")) == 0; got != c.own {
				t.Errorf("%s, %v: nothing is said of what the code reads: %v, want %v", c.folder, language, got, c.own)
			}
			alone := language == source.YAML && c.own // read by nobody knows what
			if got := len(runs[0].Hits("group-of-one")) == 0; got != alone {
				t.Errorf("%s, %v: nothing is said of the group of one: %v, want %v", c.folder, language, got, alone)
			}
		}
	}
}

// A name that is not in the file that another setting names is missing; where it may come from elsewhere, or the file
// is not there, nothing is said.
func TestDefinitions(t *testing.T) {
	files := map[string]string{
		"/p/rewards/math.py":      "# other\ndef compute_score(data_source, solution_str):\n    return 1.0\n",
		"/p/rewards/twice.py":     "def near(x):\n    return 1.0\n",
		"/p/run/rewards/twice.py": "def far(x):\n    return 1.0\n",
		"/p/star.py":              "from rewards.math import *\n",
		"/p/given.py":             "import functools\nother = functools.partial(len)\n",
		"/p/dynamic.py":           "globals()['ot' + 'her'] = len\n",
		"/p/decorated.py":         "@register\ndef other(x):\n    return 1.0\n",
		"/p/imported.py":          "from a import b as other\n",
	}
	around := func(at string) *runconf.Around {
		return &runconf.Around{Path: at, Root: "/p", Read: func(path string) []byte {
			if text, ok := files[path]; ok {
				return []byte(text)
			}
			return nil
		}}
	}
	const document = "algorithm:\n  adv_estimator: gae\nactor_rollout_ref:\n  rollout:\n    n: 1\ncustom_reward_function:\n"
	for _, c := range []struct {
		language source.Language
		text     string
		want     string // the name at which it is reported
	}{
		{source.Shell, "path=rewards/math.py name=other", "custom_reward_function.name"},
		{source.Shell, "path=/mnt/me/p/rewards/math.py name=other", "custom_reward_function.name"},
		{source.Shell, "path=file://rewards/math.py name=other", "custom_reward_function.name"},
		{source.Shell, "path=rewards/twice.py name=other", "custom_reward_function.name"},
		{source.Shell, "path=given.py", "custom_reward_function.path"},
		{source.Shell, "path=rewards/math.py", ""},
		{source.Shell, "path=rewards/math.py name=compute_score", ""},
		{source.Shell, "path=rewards/twice.py name=near", ""},
		{source.Shell, "path=rewards/twice.py name=far", ""},
		{source.Shell, "path=star.py name=other", ""},
		{source.Shell, "path=given.py name=other", ""},
		{source.Shell, "path=dynamic.py name=other", ""},
		{source.Shell, "path=decorated.py name=other", ""},
		{source.Shell, "path=imported.py name=other", ""},
		{source.Shell, "path=nowhere.py name=other", ""},
		{source.Shell, "path=pkg://rewards.math name=other", ""},
		{source.Shell, "path=rewards/math.py name=$NAME", ""},
		{source.Shell, "path=$DIR/math.py name=other", ""},
		{source.Shell, "name=other", ""},
		{source.YAML, document + "  path: rewards/math.py\n  name: other\n", "custom_reward_function.name"},
		{source.YAML, document + "  path: given.py\n", ""}, // the launch may name it
		{source.YAML, document + "  path: null\n  name: other\n", ""},
	} {
		text, at := c.text, "/p/run/conf.yaml"
		if c.language == source.Shell {
			at = "/p/run/run.sh"
			text = "python3 -m verl.trainer.main_ppo"
			for _, word := range strings.Fields(c.text) {
				text += " custom_reward_function." + word
			}
		}
		runs, _, err := Read(c.language, []byte(text), around(at))
		if err != nil || len(runs) != 1 {
			t.Fatal(text, runs, err)
		}
		got := ""
		for _, h := range runs[0].Hits("settings-conflict") {
			got = h.At.Key
		}
		if got != c.want {
			t.Errorf("%s is reported at %q, want %q", c.text, got, c.want)
		}
	}
}

// A run that sets a group which the framework does not have is of a program that was made of it: nothing is said of its settings. What is
// added by + is for the user's own code.
func TestForeign(t *testing.T) {
	const batches = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.rollout.n=1 data.train_batch_size=16 actor_rollout_ref.actor.ppo_mini_batch_size=256"
	for in, want := range map[string]bool{
		batches:                       true,
		batches + " +env.rollout.n=8": true,
		batches + " env.rollout.n=8":  false,
	} {
		runs, _, err := Read(source.Shell, []byte(in), nil)
		if err != nil || len(runs) != 1 {
			t.Fatalf("%s: %d runs, %v", in, len(runs), err)
		}
		if got := len(runs[0].Hits("batch-exceeds")) > 0; got != want {
			t.Errorf("%s: a batch that is too large is found: %v, want %v", in, got, want)
		}
	}
}
