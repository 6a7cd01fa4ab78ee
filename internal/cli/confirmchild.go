package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/report"
)

// confirmedScript is what servers read of `rlvet confirm --output-format json`.
type confirmedScript struct {
	Findings []struct {
		report.Finding
		Confirmation struct {
			Verdict, Reason string
			Seeds           []struct{ Verdict string }
			Fix             struct{ Verdict, Reason string }
		} `json:"confirmation"`
	}
}

// agreeing counts the seeds of a finding that say by themselves what all say together.
func (c *confirmedScript) agreeing(i int) (agree, all int) {
	v := c.Findings[i].Confirmation
	for _, seed := range v.Seeds {
		if seed.Verdict == v.Verdict {
			agree++
		}
	}
	return agree, len(v.Seeds)
}

// confirmQuietly is `rlvet confirm` of one program for a server, whose own streams
// are its protocol's. It returns the warnings too, a line each.
func (a *app) confirmQuietly(ctx context.Context, args ...string) (*confirmedScript, []string, error) {
	var stdout bytes.Buffer
	child, stderr := a.quiet()
	child.Stdout = &stdout
	root := child.root()
	root.SetArgs(append([]string{"confirm", "--color=never", "--output-format=json"}, args...))
	if err := root.ExecuteContext(ctx); err != nil {
		return nil, nil, err
	}
	notes := linesOf(stderr)
	if child.exit == exitFailure && stdout.Len() == 0 && len(notes) > 0 {
		return nil, nil, errors.New(strings.TrimPrefix(notes[len(notes)-1], "error: "))
	}
	out := &confirmedScript{}
	if err := json.Unmarshal(stdout.Bytes(), out); err != nil {
		return nil, nil, fmt.Errorf("the report of `rlvet confirm` cannot be read: %v", err)
	}
	return out, notes, nil
}

// quiet is the app with streams of its own; it returns its standard error.
func (a *app) quiet() (*app, *bytes.Buffer) {
	stderr := &bytes.Buffer{}
	child := &app{Env: a.Env, rules: a.rules, check: a.check, color: "never"}
	child.Stdin, child.Stdout, child.Stderr = strings.NewReader(""), &bytes.Buffer{}, stderr
	return child, stderr
}

func linesOf(b *bytes.Buffer) []string {
	return strings.FieldsFunc(b.String(), func(c rune) bool { return c == '\n' })
}
