package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// maxConfig bounds a file of settings.
const maxConfig = 4 << 20

// settings are those that say how to read the metrics, by the names of the trainers.
var settings = []string{
	// regularisation towards the reference
	"beta", "kl_coef", "init_kl_coef", "init_coef", "kl_loss_coef", "kl_estimator", "kl_penalty", "kl_loss_type", "use_kl_loss", "use_kl_in_reward",
	"adap_kl_ctrl", "target", "target_kl", "horizon", "kl_ctrl",
	// clipping and how often a batch is used
	"epsilon", "epsilon_high", "cliprange", "cliprange_value", "clip_range", "clip_coef", "clip_ratio", "clip_ratio_low", "clip_ratio_high", "eps_clip", "clip_eps",
	"num_iterations", "steps_per_generation", "num_ppo_epochs", "ppo_epochs", "n_epochs", "update_epochs", "num_mini_batches", "num_minibatches", "ppo_mini_batch_size",
	"gradient_accumulation_steps", "per_device_train_batch_size", "train_batch_size", "batch_size", "local_batch_size",
	// generation
	"response_length", "max_completion_length", "max_response_length", "max_new_tokens", "generate_max_len", "max_prompt_length", "num_generations",
	"n_samples_per_prompt", "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "missing_eos_penalty", "stop_token", "mask_truncated_completions",
	// loss, rewards, training
	"loss_type", "scale_rewards", "whiten_rewards", "reward_weights", "importance_sampling_level", "use_vllm", "entropy_coef", "ent_coef", "vf_coef", "gamma", "lam",
	"gae_lambda", "lambd", "learning_rate", "seed", "save_steps", "logging_steps", "eval_steps", "max_steps", "total_episodes", "total_timesteps", "num_train_epochs",
}

// isConfig reports whether a file holds settings of a trainer by its name.
func isConfig(f candidate) bool {
	stem, _, _ := strings.Cut(f.name(), ".")
	switch path.Ext(f.name()) {
	case ".json", ".yaml", ".yml":
		return slices.Contains([]string{"config", "args", "training_args", "trainer_config", "hparams", "hyperparameters", "params", "flags", "settings"}, stem)
	}
	return false
}

// readConfig reads a file of settings.
func readConfig(_ context.Context, c *collector, f candidate) error {
	r, err := f.text()
	if err != nil {
		return errors.New(trouble(err))
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return errors.New(trouble(err))
	}
	if len(text) > maxConfig {
		return fmt.Errorf("is larger than %d MB: no settings", maxConfig>>20)
	}
	before := len(c.run.Config)
	if path.Ext(f.name()) == ".json" {
		err = c.configJSON(f.rel, text)
	} else {
		err = c.configYAML(f.rel, text)
	}
	if n := len(c.run.Config) - before; n > 0 {
		c.run.Sources = append(c.run.Sources, record.Source{Path: f.rel, Format: "settings", Records: int64(n), Notes: []string{}})
	}
	return err
}

// configJSON takes the settings of an object.
func (c *collector) configJSON(from string, text []byte) error {
	o, ok := parseObject(bytes.TrimSpace(text))
	if !ok {
		return errors.New("is not JSON: its settings were not read")
	}
	if o.Get("architectures").Exists() || o.Get("model_type").Exists() {
		return nil // a model's, not a trainer's
	}
	c.setJSON(from, o, "", 0)
	return nil
}

func (c *collector) setJSON(from string, o gjson.Result, prefix string, depth int) {
	o.ForEach(func(key, v gjson.Result) bool {
		switch {
		case v.IsObject() && depth < 8:
			c.setJSON(from, v, prefix+key.Str+".", depth+1)
		case v.Type == gjson.String && len(v.Str) > 200, v.IsArray(), v.IsObject():
		default:
			c.set(from, prefix+key.Str, v.Value())
		}
		return true
	})
}

// configYAML takes the settings of a file of YAML. W&B writes {"value": v} for each.
func (c *collector) configYAML(from string, text []byte) error {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return errors.New("is not YAML: its settings were not read")
	}
	untag(&document)
	var all map[string]any
	if err := document.Decode(&all); err != nil {
		return errors.New("holds no settings by name: they were not read")
	}
	c.setYAML(from, all, "", 0)
	return nil
}

// untag makes plain YAML of what Python's dumper writes of its own objects. The settings of
// RL Zoo are an OrderedDict: a list of pairs within a list.
func untag(n *yaml.Node) {
	for _, child := range n.Content {
		untag(child)
	}
	if !strings.Contains(n.Tag, "python/") {
		return
	}
	ordered := strings.HasSuffix(n.Tag, "collections.OrderedDict") && len(n.Content) == 1
	n.Tag = ""
	if !ordered {
		return
	}
	pairs := n.Content[0].Content
	n.Kind, n.Content = yaml.MappingNode, nil
	for _, pair := range pairs {
		if len(pair.Content) == 2 {
			n.Content = append(n.Content, pair.Content...)
		}
	}
}

func (c *collector) setYAML(from string, all map[string]any, prefix string, depth int) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		value := all[key]
		if inner, ok := value.(map[string]any); ok {
			wrapped, ok := inner["value"]
			if !ok {
				if depth < 8 {
					c.setYAML(from, inner, prefix+key+".", depth+1)
				}
				continue
			}
			value = wrapped
		}
		switch v := value.(type) {
		case map[string]any:
			if depth < 8 {
				c.setYAML(from, v, prefix+key+".", depth+1)
			}
		case int:
			c.set(from, prefix+key, float64(v))
		case float64, bool, nil:
			c.set(from, prefix+key, v)
		case string:
			if len(v) <= 200 {
				c.set(from, prefix+key, v)
			}
		}
	}
}

// set remembers a setting if it is one that matters. The first file wins; another value is
// said.
func (c *collector) set(from, name string, value any) {
	if !slices.Contains(settings, name[strings.LastIndexByte(name, '.')+1:]) {
		return
	}
	old, ok := c.run.Config[name]
	if !ok {
		c.run.Config[name], c.configFrom[name] = value, from
	} else if old != value && c.configFrom[name] != from {
		c.conflicts[name] = append(c.conflicts[name], conflict{from, value})
	}
}

// conflict is another value of a setting.
type conflict struct {
	from  string
	value any
}

// noteConflicts says which settings have several values, a line each.
func (c *collector) noteConflicts() {
	for _, name := range slices.Sorted(maps.Keys(c.conflicts)) {
		all := c.conflicts[name]
		line := fmt.Sprintf("%s is %v in %s and %v in %s", name, c.run.Config[name], c.configFrom[name], all[0].value, all[0].from)
		if n := len(all) - 1; n > 0 {
			line += fmt.Sprintf(", and differs in %s more", words.Count(int64(n), "file"))
		}
		c.note("%s: the first is used", line)
	}
}
