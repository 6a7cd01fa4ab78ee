package harness

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// RunPlainly runs the plan's Python with some arguments in a copy of its project, as a user
// would: nothing is watched, pinned or seeded, and no GPU is seen. The isolation and the
// limits are those of the plan. It returns what was printed and the exit code, -1 where a
// signal ended it or its time was over; the error is one of ours.
func RunPlainly(ctx context.Context, p Plan, args ...string) (output string, exit int, err error) {
	p.Limits, p.InPlace = p.Limits.orDefault(), false
	isolation, err := p.Isolation.Resolve()
	if err != nil {
		return "", 0, err
	}
	w, err := newRunFolder(nil)
	if err != nil {
		return "", 0, err
	}
	defer w.close()
	root, err := w.copyOf(&p)
	if err != nil {
		return "", 0, err
	}
	out, err := newTail(w.output(), p.Limits.MaxOutput)
	if err != nil {
		return "", 0, err
	}
	within, cancel := context.WithTimeout(ctx, p.Limits.Timeout)
	defer cancel()
	token := filepath.Base(w.dir)
	cmd := plainCommand(within, append([]string{p.Python.Path}, args...), isolation, w, root)
	cmd.Env = plainEnvironment(w, token)
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Start()
	if err == nil {
		cmd.Wait() // how it ended is in its state
		killMarked(token)
		exit = cmd.ProcessState.ExitCode()
	}
	output = out.text()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return output, exit, err
}

// plainCommand is a command that ends, with its group, when its time is over.
func plainCommand(ctx context.Context, args []string, isolation Isolation, w *runFolder, root string) *exec.Cmd {
	if isolation == Bubblewrap {
		args = wrap(args, w.dir, root)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = root
	cmd.WaitDelay = patience
	cmd.Cancel = func() error { return signalGroup(cmd.Process.Pid, syscall.SIGKILL) }
	group(cmd)
	if isolation == UserNamespace {
		separate(cmd)
	}
	return cmd
}

// plainEnvironment is the user's, but for a folder for temporary files.
func plainEnvironment(w *runFolder, token string) []string {
	set := map[string]string{"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": w.temporary(), "CUDA_VISIBLE_DEVICES": "", "WANDB_MODE": "disabled", mark: token}
	var env []string
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
