package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Isolation is what a run is kept from.
type Isolation string

// The isolations.
const (
	// Auto takes the strongest that works here.
	Auto Isolation = "auto"
	// Bubblewrap: no network, and all but the copy can only be read.
	Bubblewrap Isolation = "bwrap"
	// UserNamespace: no network.
	UserNamespace Isolation = "userns"
	// NoIsolation: the program may do what the user may.
	NoIsolation Isolation = "none"
)

// Means says in words what an isolation keeps a run from.
func (i Isolation) Means() string {
	switch i {
	case Bubblewrap:
		return "network blocked; the script can write only inside its copy"
	case UserNamespace:
		return "network blocked; the script can still write outside its copy"
	}
	return "no isolation: the script can do whatever you can"
}

// strength orders the isolations, the strongest first.
var strength = []Isolation{Bubblewrap, UserNamespace, NoIsolation}

// weaker returns the weaker of two isolations; "" is that of no run.
func weaker(a, b Isolation) Isolation {
	if i := max(slices.Index(strength, a), slices.Index(strength, b)); i >= 0 {
		return strength[i]
	}
	return ""
}

// works says what is wrong with an isolation on this machine. Each is tried once.
var works = map[Isolation]func() error{
	Bubblewrap: sync.OnceValue(tryBubblewrap), UserNamespace: sync.OnceValue(tryNamespace), NoIsolation: func() error { return nil },
}

// Resolve returns the isolation that will be in force: the given one, or for Auto the
// strongest that works. It is an error to ask for one that does not work.
func (i Isolation) Resolve() (Isolation, error) {
	if err := i.Valid(); err != nil {
		return "", err
	}
	if i == Auto || i == "" {
		return strength[slices.IndexFunc(strength, func(s Isolation) bool { return works[s]() == nil })], nil
	}
	if err := works[i](); err != nil {
		return "", fmt.Errorf("--isolation %s does not work here: %v; use --isolation auto", i, err)
	}
	return i, nil
}

// Valid returns an error that lists the isolations where i is none.
func (i Isolation) Valid() error {
	if i == Auto || i == "" || works[i] != nil {
		return nil
	}
	return fmt.Errorf("--isolation %s: there are auto, bwrap, userns and none", i)
}

func tryBubblewrap() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "bwrap", "--ro-bind", "/", "/", "--unshare-all", "true").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w%s", err, prefixed(": ", string(out)))
	}
	return nil
}

func tryNamespace() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "true")
	separate(cmd)
	return cmd.Run()
}

// gpus are the devices that CUDA needs; bubblewrap's own /dev has none of them, and
// without them CUDA falls back to the CPU without a word.
var gpus = []string{"/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset", "/dev/dri", "/dev/kfd"}

// wrap returns the command line under bubblewrap: writing is allowed in the folders
// given.
func wrap(args []string, writable ...string) []string {
	out := []string{"bwrap", "--die-with-parent", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/dev/shm"}
	for _, pattern := range gpus {
		found, _ := filepath.Glob(pattern)
		for _, dev := range found {
			out = append(out, "--dev-bind", dev, dev)
		}
	}
	for _, dir := range writable {
		if _, err := os.Stat(dir); err == nil {
			out = append(out, "--bind", dir, dir)
		}
	}
	return append(append(out, "--"), args...)
}
