package watch

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// # What a program's expressions are
//
// Inference knows it under any name: what a clipped objective clips is the ratio, what backward is
// called on a loss, and of what that is the sum. So the program is evaluated, as for a check, and
// each of these values is looked up in the syntax: at the variable that gets it, else where a
// function gets or reads it. What inference does not know, names may say.

// sight is a value that inference knows, where a run can watch it.
type sight struct {
	file     string // as the check names it
	span     ast.Span
	quantity string
	// variable is set where a variable gets the value as one of several: it is read behind the statement.
	variable  string
	statement ast.Span
}

// known is what inference knows of a program.
type known struct {
	own []sight             // by which people watch a training, the most telling first
	all map[location]string // the quantity of each expression, "" where evaluations disagree
}

type location struct {
	file string // as [filepath.Clean] leaves it
	span ast.Span
}

// knownOf evaluates the program; of one that cannot be, nothing is known.
func knownOf(ctx context.Context, script string) *known {
	k := &known{all: map[location]string{}}
	collect := &analysis.Analyzer{
		Name: "quantities", Doc: "collects the quantities of one program", Requires: []*analysis.Analyzer{pass.Syntax, pass.Values, pass.Graph, pass.Roles},
		Run: func(p *analysis.Pass) (any, error) {
			if src := p.ResultOf[pass.Syntax].(*pass.Source); src.File.Path == script {
				r := &looker{known: k, values: p.ResultOf[pass.Values].(*infer.Result), graph: p.ResultOf[pass.Graph].(*query.Graph), seen: map[location]bool{}, bound: map[*infer.Module][]bound{}}
				r.expressions()
				r.notable(p.ResultOf[pass.Roles].(*roles.Model))
			}
			return nil, nil
		},
	}
	if _, err := engine.Check(ctx, []string{script}, engine.Options{Analyzers: []*analysis.Analyzer{collect}, Jobs: 1}); err != nil {
		return &known{}
	}
	return k
}

// fileOf is the file of an evaluation.
func fileOf(f *infer.Frame) string { return filepath.Clean(f.Module.Path) }

// quantityOf is what inference says a value must be, "" where it does not know or a name alone says so.
func quantityOf(v *infer.Val) string {
	if v == nil || v.Q.Evidence == domain.NameOnly || v.Q.Evidence == domain.EvidenceBottom {
		return ""
	}
	for _, q := range []struct {
		kind domain.Kind
		name string
	}{
		{domain.Ratio, "ratio"}, {domain.LogRatio, "log-ratio"}, {domain.Advantage, "advantage"}, {domain.KL, "kl"}, {domain.Entropy, "entropy"}, {domain.Loss, "loss"},
		{domain.Logits, "logits"}, {domain.LogProb, "log-prob"}, {domain.Prob, "prob"}, {domain.Return, "target"}, {domain.Reward, "reward"}, {domain.Mask, "mask"},
	} {
		if v.Is(q.kind) {
			return q.name
		}
	}
	return ""
}

// looker finds values in the syntax.
type looker struct {
	*known
	values *infer.Result
	graph  *query.Graph
	seen   map[location]bool
	bound  map[*infer.Module][]bound
}

// bound is an expression or a parameter, with how well it shows its value; lower is better.
type bound struct {
	node      ast.Node
	rank      int
	variable  string
	statement ast.Span
}

// The ranks: what a variable is given, what a function is, what is computed or read.
const (
	isAssigned = iota
	isUnpacked
	isGiven
	isComputed
)

// expressions notes the quantity of each expression, and of each variable that is assigned.
func (l *looker) expressions() {
	for f := range l.graph.EachFrame {
		for v := range f.Each {
			if v.Node != nil && v.Frame == f {
				l.note(location{fileOf(f), v.Node.Span()}, v)
			}
		}
		for _, b := range l.bindings(f) {
			if v := f.Val(b.node); v != nil && b.rank == isAssigned {
				l.note(location{fileOf(f), b.node.Span()}, v)
			}
		}
	}
}

func (l *looker) note(at location, v *infer.Val) {
	q := quantityOf(v)
	if before, ok := l.all[at]; ok && before != q {
		q = ""
	}
	l.all[at] = q
}

// notable collects the values by which people watch a training.
func (l *looker) notable(m *roles.Model) {
	for _, use := range m.RatioUses() {
		if _, clip := query.ClipOf(use.Ratio); !use.Clipped && (clip || !use.Ratio.Is(domain.Ratio)) {
			continue
		}
		l.add("ratio", use.Ratio, use.At.Frame)
		for _, factor := range use.Others {
			if factor.Is(domain.Advantage) || len(use.Others) == 1 {
				l.add("advantage", factor, use.At.Frame)
			}
		}
		if exp := use.Ratio.Strip(); exp.Known() && exp.IsOp("exp") {
			if r, ok := query.LogRatioOf(exp.Input(0)); ok {
				l.add("log-prob", r.Plus, use.At.Frame)
				l.add("log-prob", r.Minus, use.At.Frame)
			}
		}
	}
	for _, loss := range m.Losses() {
		frame := loss.Backward.Val
		if frame == nil {
			frame = loss.Value.Val
		}
		if frame == nil || frame.Frame == nil {
			continue
		}
		l.add("loss", loss.Value, frame.Frame)
		for _, t := range loss.Terms {
			l.term(t, frame.Frame)
		}
	}
	for _, v := range l.graph.OfKind(domain.Logits | domain.KL | domain.Entropy) { // what is logged, or made into a distribution
		if v.Frame != nil && !v.Frame.Stale() && quantityOf(v) != "" {
			l.addUpTo(isAssigned, quantityOf(v), l.graph.See(v), v.Frame)
		}
	}
}

// term adds what a loss is the sum of.
func (l *looker) term(t roles.Term, in *infer.Frame) {
	switch t.Kind {
	case roles.EntropyTerm:
		l.add("entropy", t.Seen, in)
	case roles.KLTerm:
		l.add("kl", t.Seen, in)
	case roles.ValueTerm:
		l.add("loss", t.Seen, in)
	case roles.PolicyTerm:
		if g, ok := t.PolicyGradient(); ok {
			l.add("log-prob", g.LogProb, in)
			for _, w := range g.Weights {
				if w.Is(domain.Advantage | domain.TDError | domain.Return | domain.Reward) { // else it may be a temperature
					l.add("advantage", w, in)
				}
			}
		}
		if t.Part.Known() {
			l.add("loss", t.Part, in)
		}
	}
}

// add notes where a value is seen best: in the evaluation where it is used, or where it was computed.
func (l *looker) add(role string, s query.Seen, in *infer.Frame) { l.addUpTo(isComputed, role, s, in) }

// addUpTo is add where a value is bound so well.
func (l *looker) addUpTo(worst int, role string, s query.Seen, in *infer.Frame) {
	if !s.Known() {
		return
	}
	if q := quantityOf(s.Val); role == "ratio" && q != "" || q == "reward" || q == "target" {
		role = q // a mistake may be that it is something else
	}
	var best *sight
	rank := 2*worst + 2
	for _, f := range []*infer.Frame{in, s.Val.Frame} {
		for _, b := range l.bindings(f) {
			switch now := 2*b.rank + l.shows(valueIn(f, b.node), s); {
			case now >= rank:
			default:
				rank, best = now, &sight{fileOf(f), b.node.Span(), role, b.variable, b.statement}
			}
		}
	}
	if best == nil || l.seen[location{best.file, best.span}] {
		return
	}
	l.seen[location{best.file, best.span}] = true
	l.own = append(l.own, *best)
	l.all[location{best.file, best.span}] = role
	if n := s.Val.Node; n != nil && s.Val.Frame != nil {
		if at := (location{fileOf(s.Val.Frame), n.Span()}); l.all[at] == "" {
			l.all[at] = role
		}
	}
}

// shows is 0 where a value is the one that is looked for, 1 where its numbers are the same, and else more than any rank.
func (l *looker) shows(v *infer.Val, s query.Seen) int {
	if v == s.Val {
		return 0
	}
	if v != nil && v.Ref == nil && l.graph.See(v).Strip().Val == s.Strip().Val {
		return 1
	}
	return 1 << 10
}

// valueIn is the value of a node in an evaluation; of a parameter its argument.
func valueIn(f *infer.Frame, n ast.Node) *infer.Val {
	if p, ok := n.(*ast.Param); ok {
		i := slices.IndexFunc(f.Params, func(v *infer.Val) bool { return v != nil && v.Node == p })
		if i < 0 {
			return nil
		}
		return f.Params[i]
	}
	return f.Val(n)
}

// bindings are the expressions and parameters of the module of an evaluation.
func (l *looker) bindings(f *infer.Frame) []bound {
	if f == nil {
		return nil
	}
	if list, ok := l.bound[f.Module]; ok {
		return list
	}
	var list []bound
	targets := map[ast.Node]bool{}
	ast.WalkModule(f.Module.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			for _, t := range n.Targets {
				list = append(list, boundIn(t, n, targets)...)
			}
		case *ast.AnnAssign:
			if n.Value != nil {
				list = append(list, boundIn(n.Target, n, targets)...)
			}
		case *ast.Param:
			list = append(list, bound{node: n, rank: isGiven})
		case ast.Expr:
			if !targets[n] {
				list = append(list, bound{node: n, rank: isComputed})
			}
		}
		return true
	})
	slices.SortStableFunc(list, func(a, b bound) int { return cmp.Compare(a.node.Span().Start, b.node.Span().Start) })
	l.bound[f.Module] = list
	return list
}

// boundIn lists what a target binds.
func boundIn(target ast.Expr, s ast.Stmt, targets map[ast.Node]bool) (list []bound) {
	targets[target] = true
	var elements []ast.Expr
	switch t := target.(type) {
	case *ast.Tuple:
		elements = t.Elts
	case *ast.List:
		elements = t.Elts
	default:
		return []bound{{node: target, rank: isAssigned}}
	}
	for _, e := range elements {
		targets[e] = true
		if name, ok := e.(*ast.Name); ok {
			list = append(list, bound{e, isUnpacked, name.Ident, s.Span()})
		}
	}
	return list
}
