package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Where a value came from
//
// A finding says "this is a log-prob". The reader sees a variable called x and
// does not believe it, so the finding shows the way back through the value
// graph, in as few steps as make it clear:
//
//   - the birth: the operation that made the value what it is. Going back, a
//     step is passed over while the value keeps its kind: views and casts, joins
//     of branches, elements of tuples and dicts, what a call returned. The first
//     value whose inputs are all of another kind is the birth: "x: log-prob since
//     line 41: Categorical.log_prob".
//   - the calls: a value that was born in a caller came in through calls, and a
//     function may be called from many places, of which only one is wrong. So each
//     call between the function that holds the value and the finding is named:
//     "called here". Calls further up explain nothing.
//
// A birth inside the flagged expression is left out: the reader looks at it. The
// value goes by the text that stands for it in the flagged expression.

// maxRelated bounds the steps that are shown.
const maxRelated = 5

// maxHistory bounds the way back of one value.
const maxHistory = 64

// origins explains the values of a finding.
func (p *Pass) origins(f *Finding) []Related {
	var out []Related
	seen := map[string]bool{}
	add := func(list []Related) {
		for _, r := range list {
			key := fmt.Sprintf("%p %d %s", r.Source, r.Node.Span().Start, r.Message)
			if len(out) < maxRelated && !seen[key] {
				seen[key] = true
				out = append(out, r)
			}
		}
	}
	for _, v := range f.Values {
		chain := history(v, f.Frame)
		if len(chain) == 0 {
			continue
		}
		if b := chain[len(chain)-1]; !b.within(f) {
			add(b.born(p.label(f, v)))
		}
		add(p.calls(f, chain))
	}
	return out
}

// step is a value on the way back and the evaluation that it belongs to: a
// parameter that nobody gave a value has none of its own.
type step struct {
	*infer.Val
	frame *infer.Frame
}

// within reports whether a value was born inside the flagged expression.
func (b step) within(f *Finding) bool {
	return b.frame == f.Frame && f.At.Span().Covers(b.Node.Span())
}

// history follows v back through values of its kind and returns those that
// stand somewhere in the source, v first and the birth last. It is empty where the
// kind is unknown. The frame is the one in which v was met.
func history(v *infer.Val, frame *infer.Frame) []step {
	if v == nil || !v.Q.Kind.Known() {
		return nil
	}
	var chain []step
	seen := map[*infer.Val]bool{}
	for v != nil && !seen[v] && len(seen) < maxHistory {
		seen[v] = true
		if v.Frame != nil {
			frame = v.Frame
		}
		at := v.Frame
		if at == nil {
			at = declaring(frame, v)
		}
		if v.Node != nil && at != nil && sourceOf(at.Module) != nil {
			chain = append(chain, step{v, at})
		}
		v = sameKind(v)
	}
	return chain
}

// declaring returns the evaluation whose signature a value stands in that nobody gave: the frame, or the caller that passed its own parameter on.
func declaring(f *infer.Frame, param *infer.Val) *infer.Frame {
	for ; f != nil && slices.Contains(f.Params, param); f = f.Caller {
		if f.Func != nil && f.Func.Def != nil && f.Func.Def.Params != nil && slices.ContainsFunc(f.Func.Def.Params.List, func(p *ast.Param) bool { return ast.Node(p) == param.Node }) {
			return f
		}
	}
	return nil
}

// sameKind returns the input that v is a form of: one of the same kind.
func sameKind(v *infer.Val) *infer.Val {
	for _, x := range v.In {
		if x != nil && x.Q.Kind == v.Q.Kind {
			return x
		}
	}
	return nil
}

// label is the text of v in the flagged expression, else where it was computed.
func (p *Pass) label(f *Finding, v *infer.Val) string {
	label := ""
	frame := f.Frame
	if frame == nil {
		frame = p.Values.Frames[0]
	}
	ast.Walk(f.At, func(n ast.Node) bool {
		if label == "" && frame.Val(n) == v {
			label = short(p.In(frame).Text(n))
		}
		return label == ""
	})
	if label == "" {
		label = short(p.Text(v))
	}
	return label
}

// born is the note for a birth, with what the reader knows the value as.
func (b step) born(label string) []Related {
	src := sourceOf(b.frame.Module)
	text := short(src.Text(b.Node))
	if label == "" {
		label = text
	}
	row := src.File.Position(int(b.Node.Span().Start)).Row
	message := fmt.Sprintf("%s: from line %d", label, row)
	if kind := kindWords(b.Q.Kind); kind != "" {
		message = fmt.Sprintf("%s: %s since line %d", label, kind, row)
	}
	switch op := opName(b.Val); {
	case op != "":
		message += ": " + op
	case b.Q.Evidence == domain.NameOnly:
		message += ", by the name of " + nameIn(b.Node, text)
	}
	return []Related{{src, b.Node, message}}
}

// nameIn is the name of a parameter, without its annotation and default, and the
// text of any other node.
func nameIn(n ast.Node, text string) string {
	if p, ok := n.(*ast.Param); ok {
		return p.Name
	}
	return text
}

// kindNames say to a reader what the short names of kinds do not. Kinds that are
// left out say nothing of use.
var kindNames = map[domain.Kind]string{
	domain.Raw: "network output", domain.TDError: "TD error", domain.KL: "KL divergence", domain.QValue: "Q-value",
	domain.Std: "standard deviation", domain.LogStd: "log of a standard deviation", domain.Coef: "coefficient",
	domain.TokenIDs: "token ids", domain.Module: "network", domain.Env: "environment",
	domain.Other: "", domain.Number: "", domain.Text: "",
}

// kindWords names a kind for a reader. A value that may be one of several, of
// which some say nothing, has no name.
func kindWords(k domain.Kind) string {
	var out []string
	for rest := k; rest != 0; rest &= rest - 1 {
		one := rest & -rest
		word, ok := kindNames[one]
		if !ok {
			word = one.String()
		}
		if word == "" {
			return ""
		}
		out = append(out, word)
	}
	return strings.Join(out, " or ")
}

// opName says what made a value, where that is a name that readers know: that of
// the documentation, without the modules that nobody writes, or the operator that stands there.
func opName(v *infer.Val) string {
	if v.Fn == nil {
		return ""
	}
	switch n := v.Node.(type) {
	case *ast.BinOp:
		return "the `" + n.Op.String() + "`"
	case *ast.UnaryOp:
		return "the `" + n.Op.String() + "`"
	case *ast.AugAssign:
		return "the `" + n.Op.String() + "=`"
	}
	name := strings.TrimSuffix(v.Fn.Name, ".__call__")
	for _, prefix := range []string{"torch.Tensor.", "torch.distributions.", "torch.nn.functional."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	if parts := strings.Split(name, "."); len(parts) > 3 {
		return strings.Join(parts[len(parts)-2:], ".")
	}
	return name
}

// nameOf is the name of a function, of a lambda what the call calls it.
func (p *Pass) nameOf(g *infer.Frame) string {
	if call, ok := g.Call.Node.(*ast.Call); ok && g.Func.Def == nil {
		return short(p.In(g.Caller).Text(call.Fun))
	}
	return g.Func.Name()
}

// short returns a source text on one line and of limited length.
func short(text string) string {
	const limit = 40
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}
