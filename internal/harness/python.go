package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Python is an interpreter and what it can do.
type Python struct {
	Path    string   `json:"path"`
	Version string   `json:"version"`
	Torch   string   `json:"torch"` // "" where there is none
	Numpy   string   `json:"numpy"`
	Devices []string `json:"devices"` // names of the GPUs that torch sees
}

// question is asked of an interpreter; the answer is one line of JSON. To import torch takes a second or more, so that it is imported
// only where it may see a GPU, which it alone can name, or where its version stands in no file. What is installed and
// cannot be imported tells the program why.
const question = `
import glob, importlib.util, json, os, sys

out = {"version": "%d.%d.%d" % sys.version_info[:3], "torch": "", "numpy": "", "devices": []}
gpus = ("/dev/nvidia[0-9]*", "/dev/nvmap", "/dev/nvhost*", "/dev/kfd", "/dev/dxg")


def built():
    "Returns what the installed torch says of how it was built."
    said = {}
    for folder in importlib.util.find_spec("torch").submodule_search_locations:
        with open(os.path.join(folder, "version.py"), encoding="utf-8") as file:
            exec(file.read(), said)
    said["__version__"], said["cuda"]
    return said


def sees_gpus(said):
    built_for_some = said["cuda"] is not None or said.get("hip") is not None
    return built_for_some and (not sys.platform.startswith("linux") or any(glob.glob(p) for p in gpus))


try:
    if importlib.util.find_spec("numpy"):
        from importlib import metadata
        out["numpy"] = metadata.version("numpy")
except Exception:
    try:
        import numpy
        out["numpy"] = numpy.__version__
    except Exception:
        pass
try:
    said = built()
    out["torch"] = str(said["__version__"])
except Exception:
    said = None
try:
    if said is None or sees_gpus(said):
        import torch
        out["torch"] = str(torch.__version__)
        out["devices"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
except Exception:
    pass
print(json.dumps(out))
`

// oldest is the least Python that the harness runs on.
const oldest = 9 // 3.9

// FindPython returns the interpreter to use: the given one, else that of the active
// virtual environment, of one in the project's folder, or the first on the PATH that has
// torch. The error says what was looked for and how to fix it.
func FindPython(ctx context.Context, given, root string) (*Python, error) {
	if given != "" {
		path, err := exec.LookPath(given)
		if err != nil {
			return nil, fmt.Errorf("--python %s: no such program; give the path of a Python interpreter", given)
		}
		return ask(ctx, path)
	}
	for _, path := range candidates(root) {
		if _, err := os.Stat(path); err == nil {
			return ask(ctx, path)
		}
	}
	return onPath(ctx)
}

// onPath returns the first interpreter on the PATH that has torch, or else the first.
func onPath(ctx context.Context) (*Python, error) {
	var first *Python
	firstErr := errors.New("no Python found: activate the environment in which you train, or give --python PATH")
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		for _, name := range []string{"python3", "python"} {
			path, err := exec.LookPath(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			p, err := ask(ctx, path)
			switch {
			case err == nil && p.Torch != "":
				return p, nil
			case err == nil && first == nil:
				first = p
			case err != nil && first == nil:
				firstErr = err
			}
			break
		}
	}
	if first != nil {
		return first, nil
	}
	return nil, firstErr
}

// candidates are the interpreters of virtual environments.
func candidates(root string) []string {
	var out []string
	add := func(env string) {
		if runtime.GOOS == "windows" {
			out = append(out, filepath.Join(env, "Scripts", "python.exe"))
			return
		}
		out = append(out, filepath.Join(env, "bin", "python"))
	}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if env := os.Getenv(name); env != "" {
			add(env)
		}
	}
	add(filepath.Join(root, ".venv"))
	add(filepath.Join(root, "venv"))
	return out
}

// askTimeout bounds the answer; torch can load slowly from a network file system.
const askTimeout = 5 * time.Minute

// answers are what interpreters that have torch answered, by path and environment: a server
// of an editor asks for every run.
var answers sync.Map

// given is one, and when it was given.
type given struct {
	python Python
	at     time.Time
}

// freshness is how long an answer holds: people install another torch.
const freshness = 5 * time.Minute

// ask learns the versions and devices of an interpreter.
func ask(ctx context.Context, path string) (*Python, error) {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "TMPDIR=") })
	key := path + "\x00" + strings.Join(env, "\x00")
	if known, ok := answers.Load(key); ok && time.Since(known.(given).at) < freshness {
		p := known.(given).python
		return &p, nil
	}
	p, err := start(ctx, path)
	if err == nil && p.Torch != "" {
		answers.Store(key, given{*p, time.Now()})
	}
	return p, err
}

// start starts an interpreter to ask it.
func start(ctx context.Context, path string) (*Python, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-c", question)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	p := &Python{Path: path}
	if err == nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		err = json.Unmarshal([]byte(lines[len(lines)-1]), p)
	}
	if err != nil {
		last := strings.TrimSpace(stderr.String())
		last = last[strings.LastIndexByte(last, '\n')+1:]
		return nil, fmt.Errorf("%s does not answer as Python 3 does (%v%s); give another with --python", path, err, prefixed(": ", last))
	}
	var major, minor int
	if _, err := fmt.Sscanf(p.Version, "%d.%d", &major, &minor); err != nil || major < 3 || major == 3 && minor < oldest {
		return nil, fmt.Errorf("%s is Python %s, and rlvet runs programs with 3.%d or newer; give another with --python", path, p.Version, oldest)
	}
	return p, nil
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
