// Package columnnotpassed is rule RWD009, column-not-passed; rule.md says what it finds.
package columnnotpassed

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports reads of columns that the trainer does not pass.
var Analyzer = pass.Rule(Doc, run)

// The names are those of columns: trainers pass them as keywords.
func run(p *pass.Pass) {
	for _, sc := range p.Scored() {
		f := sc.Frame
		rest := keywords(query.Params(sc.Func))
		if p.In(f) == nil || rest == "" || len(sc.By.Dropped) == 0 {
			continue
		}
		for _, n := range f.Nodes() {
			key := read(f, n, rest)
			if key == "" || query.Tried(f, n) || tests(f, rest, key) {
				continue
			}
			dropped := slices.Contains(sc.By.Dropped, key) && !slices.Contains(sc.By.Given, key)
			unknown := sc.Rows != nil && !sc.Rows.Open && sc.Rows.Fields[key] == nil && !slices.Contains(sc.By.Given, key)
			switch {
			case dropped:
				p.Report(pass.Finding{At: n, Frame: f, Evidence: domain.Derived, Help: "read `" + key + "s`, which the trainer passes"})
			case unknown && sc.Trainer != nil && len(key) < 24:
				p.Report(pass.Finding{At: n, Frame: f, Evidence: domain.Derived, Message: "the data set has no column `" + key + "`", Help: "keep the column in `map()`, or read one that is there"})
			}
		}
	}
}

// keywords is the name of the parameter that takes all other keywords.
func keywords(params []*ast.Param) string {
	for _, q := range params {
		if q.Kind == ast.VarKwArgs {
			return q.Name
		}
	}
	return ""
}

// read is the key that a node reads from the keywords and has to be there: kwargs[key]; a default that get() has is what is meant.
func read(f *infer.Frame, n ast.Node, rest string) string {
	sub, ok := n.(*ast.Subscript)
	if !ok || query.Path(sub.X) != rest {
		return ""
	}
	key, _ := f.Val(sub.Index).Str()
	return key
}

// tests reports whether the function asks whether a key is there.
func tests(f *infer.Frame, rest, key string) bool {
	found := false
	for _, n := range f.Nodes() {
		c, ok := n.(*ast.Compare)
		if ok && len(c.Ys) == 1 && query.Path(c.Ys[0]) == rest && (c.Ops[0] == ast.In || c.Ops[0] == ast.NotIn) {
			found = true
		}
	}
	return found
}
