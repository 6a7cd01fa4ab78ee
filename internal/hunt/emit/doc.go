// Package emit writes the test that would have caught what a hunt found, and the job that
// runs it.
//
// Purpose: a failure that was found once is found at once the next time. A test replays what
// was recorded when training failed, on the CPU, in seconds, with torch and pytest alone: the
// gradient of a function against finite differences, or a call that must be finite. What cannot
// be replayed by itself is run from its beginning to where it failed.
//
// Input: a [hunt.Result] and the plan of its runs. Output: a test, its record, a note and a
// workflow, in a folder of the project.
//
// Each candidate is proved before anything is said of it ([Emitter.prove]): it has to fail in
// a copy of the program as it is, and, where a fix is known, to pass in one with the fix.
// Limits: where no fix is known, nothing shows that the test can pass, and it says so.
package emit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/hunt"
)

// Emitter writes the test of a result.
type Emitter struct {
	Result *hunt.Result
	// Plan is that of the hunt's runs, with nothing watched.
	Plan harness.Plan
	// Dir is the folder for the test, absolute, in the project.
	Dir string
	// Work is a folder for what runs leave, which is the caller's to remove; Record the number
	// of bytes that may be recorded, 0 for none.
	Work   string
	Record int64
	// Revision is the tag or branch of rlvet that the hook and the workflow name.
	Revision string
	// Run runs plans, and shows meanwhile what is done.
	Run func(ctx context.Context, step string, plans []harness.Plan) ([]*harness.Report, error)
	// Say shows what is done; nil for nobody.
	Say func(step string)
}

// candidate is a test that might do.
type candidate struct {
	name   string // of the file, without test_ and .py
	text   []byte
	record []byte // nil for none
	what   string // it replays
	// runs says that the program itself is run.
	runs bool
}

func (c *candidate) file() string       { return "test_" + c.name + ".py" }
func (c *candidate) recordFile() string { return "test_" + c.name + ".pt" }

// Folder returns the folder for tests, absolute, and an error where it cannot be one.
func Folder(dir, root string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if info, err := os.Stat(abs); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is a file; name a folder of the project, such as tests", dir)
	}
	if rel, err := filepath.Rel(root, abs); err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s lies outside of the project %s, where the test would not find the program; name a folder in it, such as tests", dir, root)
	}
	return abs, nil
}

// Emit writes the first candidate that is proved, or else the first that fails now, and
// puts it into the result. Where none does, the result says why.
func (e *Emitter) Emit(ctx context.Context) error {
	r := e.Result
	if !r.Found() {
		r.Test = &hunt.Test{Verdict: hunt.TestNone, Reason: "nothing went wrong, so there is nothing to test for"}
		return nil
	}
	best, proof, err := e.best(ctx)
	if err != nil {
		return err
	}
	r.Test = proof
	if best == nil {
		return nil
	}
	return e.write(best)
}

// rank orders what is proved of tests.
var rank = map[string]int{hunt.TestNone: 0, hunt.TestFails: 1, hunt.TestProved: 2}

// best is the candidate of which most is proved, the first of equals; nil where none fails
// now.
func (e *Emitter) best(ctx context.Context) (best *candidate, proof *hunt.Test, err error) {
	proof = &hunt.Test{Verdict: hunt.TestNone, Reason: "what failed cannot be replayed by a test"}
	tried := []string{}
	for _, propose := range []func(context.Context) (*candidate, error){e.gradient, e.finite, e.program} {
		c, err := propose(ctx)
		var no *refused
		if errors.As(err, &no) {
			tried = append(tried, no.why)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if c == nil {
			continue
		}
		p, err := e.prove(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		if rank[p.Verdict] > rank[proof.Verdict] {
			best, proof, p.Tried = c, p, slices.Clone(tried)
		}
		if p.Verdict == hunt.TestProved || p.Verdict == hunt.TestFails && e.Result.Fix.Verdict != "fixed" {
			break
		}
		tried = append(tried, fmt.Sprintf("%s: %s", c.what, p.Reason))
	}
	if best == nil {
		proof.Tried = tried
		if len(tried) > 0 {
			proof.Reason = strings.Join(tried, "; ")
		}
	}
	return best, proof, nil
}

// refused says why there is no candidate.
type refused struct{ why string }

func (r *refused) Error() string { return r.why }
