package pass

import (
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
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
//   - the calls: a value that was born in another function came through calls,
//     and a function may be called from many places, of which only one is wrong.
//     So each call between the birth and the finding is named: "called here".
//
// A birth inside the flagged expression is left out: the reader looks at it.

// maxRelated bounds the steps that are shown.
const maxRelated = 5

// maxSteps bounds the way back of one value.
const maxSteps = 64

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
		if b := birth(v); b != nil && !within(b, f) {
			add(p.born(v, b))
		}
	}
	add(p.calls(f))
	return out
}

// Origin returns the steps by which v became what it is, for rules that explain
// more than the values of their finding.
func (p *Pass) Origin(v *infer.Val) []Related {
	if b := birth(v); b != nil {
		return p.born(v, b)
	}
	return nil
}

// within reports whether a value was born inside the flagged expression.
func within(b *infer.Val, f *Finding) bool {
	return b.Frame == f.Frame && f.At.Span().Covers(b.Node.Span())
}

// birth follows v back to the value that first had its kind; nil where the kind
// is unknown or nothing in the source stands for it.
func birth(v *infer.Val) *infer.Val {
	if v == nil || !v.Q.Kind.Known() {
		return nil
	}
	var last *infer.Val
	seen := map[*infer.Val]bool{}
	for range maxSteps {
		if v.Node != nil && v.Frame != nil && sourceOf(v.Frame.Module) != nil {
			last = v
		}
		seen[v] = true
		from := sameKind(v)
		if from == nil || seen[from] {
			break
		}
		v = from
	}
	return last
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

// born is the step for a birth, with what the reader knows the value as.
func (p *Pass) born(v, b *infer.Val) []Related {
	src := sourceOf(b.Frame.Module)
	kind := b.Q.Kind.String()
	place := fmt.Sprintf("line %d", src.File.Position(int(b.Node.Span().Start)).Row)
	text := ""
	if v.Frame != nil && v.Node != nil {
		text = short(p.Text(v))
	}
	if text == "" || v == b {
		text = short(src.Text(b.Node))
	}
	message := fmt.Sprintf("%s: %s since %s", text, kind, place)
	if op := opName(b); op != "" {
		message += ": " + op
	}
	return []Related{{src, b.Node, message}}
}

// opName says what made a value, where that is a name that readers know.
func opName(v *infer.Val) string {
	if v.Fn == nil {
		return ""
	}
	name := v.Fn.Name
	for _, prefix := range []string{"torch.Tensor.", "torch.distributions.", "torch.nn.functional."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}

// calls are the calls that led to the frame of a finding, nearest first.
func (p *Pass) calls(f *Finding) []Related {
	var out []Related
	for g := f.Frame; g != nil && g.Call != nil && g.Caller != nil; g = g.Caller {
		src := p.In(g.Caller)
		if src == nil || g.Call.Node == nil || len(out) == maxRelated {
			break
		}
		out = append(out, Related{src, g.Call.Node, fmt.Sprintf("`%s` is called here", g.Func.Name())})
	}
	return out
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

// Short returns the source of a node for use in a message: on one line, of
// limited length, in backquotes.
func (s *Source) Short(n ast.Node) string { return "`" + short(s.Text(n)) + "`" }
