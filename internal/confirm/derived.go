package confirm

import (
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// derivations are what inference makes of the expressions of the checked files.
type derivations struct {
	mu    sync.Mutex
	kinds map[place]domain.Kind // joined over all evaluations
}

// place is an expression, in a file by its real path.
type place struct {
	file string
	span ast.Span
}

// step is what notes them during a check.
func (d *derivations) step() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "derivations", Doc: "notes what quantity each expression is", Requires: []*analysis.Analyzer{pass.Syntax, pass.Graph},
		Run: func(p *analysis.Pass) (any, error) {
			if file, err := paths.Real(p.ResultOf[pass.Syntax].(*pass.Source).File.Path); err == nil {
				d.note(file, p.ResultOf[pass.Graph].(*query.Graph))
			}
			return nil, nil
		},
	}
}

func (d *derivations) note(file string, g *query.Graph) {
	d.mu.Lock()
	defer d.mu.Unlock()
	nodes := map[*infer.Module][]ast.Expr{}
	for f := range g.EachFrame {
		if real, err := paths.Real(f.Module.Path); err != nil || real != file {
			continue
		}
		if nodes[f.Module] == nil {
			ast.WalkModule(f.Module.AST, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					nodes[f.Module] = append(nodes[f.Module], e)
				}
				return true
			})
		}
		for _, n := range nodes[f.Module] {
			if v := f.Val(n); v != nil {
				at := place{file, n.Span()}
				d.kinds[at] = d.kinds[at].Join(derivedKind(v))
			}
		}
	}
}

// derivedKind is what a value must be by what it was made of; unknown where a name or a use says it.
func derivedKind(v *infer.Val) domain.Kind {
	if e := v.Q.Evidence; e == domain.FromTable || e == domain.Derived {
		return v.Q.Kind
	}
	return domain.UnknownKind
}

// other is what inference derives an expression to be where that is none of the quantities that a rule is about, and "" where it is one of
// them or not known.
func (d *derivations) other(at place, about []string) string {
	kind := d.kinds[at]
	if !kind.Known() || len(about) == 0 {
		return ""
	}
	for _, name := range about {
		if k, ok := domain.ParseKind(name); ok && kind.May(k) {
			return ""
		}
	}
	return either(strings.Split(kind.String(), "|"))
}

func either(list []string) string { return strings.Join(list, " or ") }

// ofOthers says of claims about an expression that is known to be another quantity than their rule is about that the runs prove nothing: what
// a probe looks for, such as a ratio of 0, may be as it should of that quantity.
func (c *confirmation) ofOthers(s *Script) {
	for i := range s.Claims {
		f, e := s.Findings[i], &s.Outcome.Targets[i]
		rule, ok := s.Rules.Lookup(f.Code)
		if !ok || f.Evidence != finding.Claimed || e.Verdict == harness.NotReached {
			continue
		}
		file, err := paths.Real(f.Range.File)
		if err != nil {
			continue
		}
		is := c.derived.other(place{file, ast.Span{Start: uint32(f.Range.StartByte), End: uint32(f.Range.EndByte)}}, rule.Doc.About)
		if is == "" {
			continue
		}
		e.Verdict, e.Bound = harness.Inconclusive, 0
		e.Reason = "rlvet derives this to be of the kind " + is + ", and " + f.Code + " is about " + either(rule.Doc.About)
		for j := range e.Seeds {
			e.Seeds[j].Verdict, e.Seeds[j].Reason, e.Seeds[j].Confirmation = harness.Inconclusive, e.Reason, nil
		}
	}
}
