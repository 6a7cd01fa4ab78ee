package since

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// git runs the program in a folder. Nothing that it is asked to do writes, starts a
// program of the user's settings, or waits for a person.
type git struct {
	ctx context.Context
	dir string
	// apart says that variables which a hook of git sets are of another repository.
	apart bool
}

func (g git) command(args ...string) *exec.Cmd {
	args = append([]string{"-c", "core.fsmonitor=false", "-c", "core.quotePath=true"}, args...)
	cmd := exec.CommandContext(g.ctx, "git", args...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1")
	if g.apart {
		cmd.Env = slices.DeleteFunc(cmd.Env, func(s string) bool {
			return strings.HasPrefix(s, "GIT_DIR=") || strings.HasPrefix(s, "GIT_WORK_TREE=") || strings.HasPrefix(s, "GIT_INDEX_FILE=")
		})
	}
	return cmd
}

// output runs git. The error is git's first line.
func (g git) output(args ...string) ([]byte, error) {
	out, err := g.command(args...).Output()
	return out, failureOf(g.ctx, err)
}

// line returns the only line that git prints.
func (g git) line(args ...string) (string, error) {
	out, err := g.output(args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

// failureOf turns the failure of a program into one line.
func failureOf(ctx context.Context, err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("git is not installed, which --new-from needs; install it")
	case errors.As(err, &exit) && len(exit.Stderr) > 0:
		first, _, _ := strings.Cut(string(exit.Stderr), "\n")
		return fmt.Errorf("git: %s", strings.TrimPrefix(first, "fatal: "))
	}
	return fmt.Errorf("git: %v", err)
}

// base lists the files of a commit with their objects, and its submodules with their
// commits.
func (g git) base(root, commit string) (*Base, error) {
	out, err := g.output("ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	b := &Base{git: g, root: root, blobs: map[string]string{}, links: map[string]string{}, within: map[string]*Base{}}
	for entry := range strings.SplitSeq(string(out), "\x00") { // MODE TYPE OBJECT\tPATH
		head, name, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(head); len(fields) == 3 && fields[1] == "blob" {
			b.blobs[name] = fields[2]
		} else if len(fields) == 3 && fields[1] == "commit" {
			b.links[name] = fields[2]
		}
	}
	return b, nil
}

// read hands over the bytes that files had in the base.
func (b *Base) read(ctx context.Context, names []string, take func(name string, raw []byte)) error {
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	var ask strings.Builder
	for _, name := range names {
		fmt.Fprintln(&ask, b.blobs[name])
	}
	cmd := git{ctx, b.root, b.git.apart}.command("cat-file", "--batch")
	cmd.Stdin = strings.NewReader(ask.String())
	out, err := cmd.Output()
	if err != nil {
		return failureOf(ctx, err)
	}
	r := bufio.NewReader(bytes.NewReader(out))
	for _, name := range names {
		raw, err := object(r)
		if err != nil {
			return fmt.Errorf("git: %s of the base cannot be read: %v", name, err)
		}
		take(name, raw)
	}
	return nil
}

// object reads "OBJECT TYPE SIZE", a line end, the bytes, and a line end.
func object(r *bufio.Reader) ([]byte, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return nil, errors.New(strings.TrimSpace(head)) // "OBJECT missing"
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, err
	}
	raw := make([]byte, size+1)
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, err
	}
	return raw[:size], nil
}
