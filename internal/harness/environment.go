package harness

import (
	"os"
	"strconv"
	"strings"
)

// environment is what a run finds in its environment: the user's, with what changes the
// bits of results pinned, what writes to the network turned off, and what the Python
// side needs.
func environment(w *runFolder, u Unit, token string, isolation Isolation) []string {
	set := map[string]string{
		"PYTHONPATH":              joined(w.python(), os.Getenv("PYTHONPATH")),
		"PYTHONHASHSEED":          strconv.Itoa(u.Seed % (1 << 31)),
		"PYTHONDONTWRITEBYTECODE": "1",
		"PYTHONUNBUFFERED":        "1",
		"OMP_NUM_THREADS":         "1",
		"MKL_NUM_THREADS":         "1",
		"OPENBLAS_NUM_THREADS":    "1",
		"CUBLAS_WORKSPACE_CONFIG": ":4096:8",
		"NVIDIA_TF32_OVERRIDE":    "0",
		"PYTORCH_JIT":             "0",
		"TORCHDYNAMO_DISABLE":     "1",
		"TOKENIZERS_PARALLELISM":  "false",
		"WANDB_MODE":              "disabled",
		"WANDB_SILENT":            "true",
		"COMET_MODE":              "DISABLED",
		"HF_HUB_OFFLINE":          "1",
		"TRANSFORMERS_OFFLINE":    "1",
		"HF_DATASETS_OFFLINE":     "1",
		"MPLBACKEND":              "Agg",
		"SDL_VIDEODRIVER":         "dummy",
		"TMPDIR":                  w.temporary(),
		"RLVET_EVENTS":            w.events(),
		mark:                      token,
	}
	if u.gpu != "" {
		set["CUDA_VISIBLE_DEVICES"] = u.gpu
	}
	if u.Plan.Device == "cpu" {
		set["CUDA_VISIBLE_DEVICES"] = ""
	}
	if isolation == UserNamespace {
		set["RLVET_LOOPBACK"] = "1"
	}
	env := []string{}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !has(set, name) {
			env = append(env, kv)
		}
	}
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	return env
}

// asMap returns an environment by names.
func asMap(env []string) map[string]string {
	out := map[string]string{}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		out[name] = value
	}
	return out
}

func has(set map[string]string, name string) bool {
	_, ok := set[name]
	return ok
}

func joined(paths ...string) string {
	var out []string
	for _, p := range paths {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, string(os.PathListSeparator))
}
