package since

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/rlvet/rlvet/internal/paths"
)

// Rows are rows of a text, counted from 1.
type Rows struct {
	all   bool
	spans [][2]int // first and last row, ascending
}

// Touch reports whether some row from first to last is among them.
func (r Rows) Touch(first, last int) bool {
	return r.all || slices.ContainsFunc(r.spans, func(s [2]int) bool { return s[0] <= last && first <= s[1] })
}

// # Why the texts are compared, and not the files
//
// `git diff COMMIT` compares bytes on the disk. What rlvet checks may stand nowhere on
// the disk (standard input, the text after a fix), and its rows are those of a program,
// which a notebook's file does not have. So both programs of each file are written into
// a folder of their own, and git compares the two folders: lines are matched, and
// renames found, as people know it from `git diff`.

// compare returns the new rows of each text, by name. What is in then alone is gone and
// may be what a new one was made from; a name that is new is left out.
func compare(ctx context.Context, then, now map[string]string) (map[string]Rows, error) {
	dir, err := paths.Temporary()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	names := slices.Collect(maps.Keys(now))
	for name := range then {
		if _, ok := now[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for side, texts := range map[string]map[string]string{"then": then, "now": now} {
		if err := lay(filepath.Join(dir, side), names, texts); err != nil {
			return nil, err
		}
	}
	files, err := differences(ctx, dir)
	if err != nil {
		return nil, err
	}
	return collect(names, then, now, files)
}

// lay writes the texts into a folder, each under the number of its name.
func lay(dir string, names []string, texts map[string]string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for i, name := range names {
		text, ok := texts[name]
		if !ok {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// differences compares the two folders. The settings of the user's repository do not
// hold here.
func differences(ctx context.Context, dir string) ([]*gitdiff.File, error) {
	cmd := git{ctx, dir, true}.command("diff", "--no-index", "--unified=0", "--inter-hunk-context=0", "--find-renames", "--text", "--no-color", "--no-ext-diff", "--no-textconv",
		"--src-prefix=a/", "--dst-prefix=b/", "then", "now")
	cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // there are differences
	}
	if err != nil {
		return nil, failureOf(ctx, err)
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(out))
	return files, err
}

// collect turns the differences into rows. A text that is not among them is the same.
func collect(names []string, then, now map[string]string, files []*gitdiff.File) (map[string]Rows, error) {
	out := map[string]Rows{}
	for name := range now {
		if _, ok := then[name]; ok {
			out[name] = Rows{}
		}
	}
	for _, f := range files {
		number, ok := strings.CutPrefix(f.NewName, "now/")
		if !ok || f.IsNew {
			continue
		}
		var i int
		if _, err := fmt.Sscan(number, &i); err != nil || i < 0 || i >= len(names) {
			return nil, fmt.Errorf("git: unexpected name %q in a difference", f.NewName)
		}
		out[names[i]] = Rows{spans: spans(f.TextFragments)}
	}
	return out, nil
}

func spans(fragments []*gitdiff.TextFragment) [][2]int {
	var out [][2]int
	for _, f := range fragments {
		if f.NewLines > 0 {
			out = append(out, [2]int{int(f.NewPosition), int(f.NewPosition + f.NewLines - 1)})
		}
	}
	return out
}
