package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Scored are the evaluations of functions that score what a policy wrote, each function once for
// each form of answers: those whose trainer was seen before those that were told by their parameters.
func (g *Graph) Scored() (out []infer.Scored) {
	for _, sc := range g.Values.Scored {
		if sc.Frame == nil || sc.Frame.Stale() || sc.At != nil && sc.At.Stale() {
			continue
		}
		same := func(o infer.Scored) bool {
			return o.Func.Def == sc.Func.Def && o.Func.Lambda == sc.Func.Lambda && o.Form == sc.Form
		}
		if i := slices.IndexFunc(out, same); i < 0 {
			out = append(out, sc)
		} else if out[i].Trainer == nil || sc.Trainer == out[i].Trainer {
			out[i] = sc // in a later round more is known
		}
	}
	return out
}

// ScoringFrames calls yield for the evaluations in which answers are scored: of the functions that
// trainers call, and of what these call.
func (g *Graph) ScoringFrames(yield func(*infer.Frame, infer.Scored) bool) {
	scored := g.Scored()
	if len(scored) == 0 {
		return
	}
	for f := range g.EachFrame {
		for _, sc := range scored {
			if f == sc.Frame || f.CalledFrom(sc.Frame) {
				if !yield(f, sc) {
					return
				}
				break
			}
		}
	}
}

// Params are the parameters of a function as who calls it sees them: without self.
func Params(fn *infer.FuncRef) []*ast.Param {
	if fn.Lambda != nil {
		return fn.Lambda.Params.List
	}
	list := fn.Def.Params.List
	static := slices.ContainsFunc(fn.Def.Decorators, func(d ast.Expr) bool { return Path(d) == "staticmethod" })
	if fn.Class != nil && !static && len(list) > 0 {
		return list[1:]
	}
	return list
}

// IsAnswer reports whether v is what a policy wrote, as the trainer hands it over.
func IsAnswer(v *infer.Val) bool {
	v = infer.Strip(v)
	return v != nil && v.Op == infer.OpAnswer
}

// OfAnswer reports whether v was computed from what a policy wrote.
func OfAnswer(v *infer.Val) bool {
	found := false
	infer.Walk(v, maxPieces, func(x *infer.Val) bool {
		found = found || x.Op == infer.OpAnswer
		return !found
	})
	return found
}

// Tried reports whether a node stands in a try of its frame whose handlers may catch what it raises.
func Tried(f *infer.Frame, n ast.Node) bool {
	return tried(f.Body(), n)
}

func tried(body []ast.Stmt, n ast.Node) bool {
	for _, st := range body {
		if !st.Span().Covers(n.Span()) {
			continue
		}
		if t, ok := st.(*ast.Try); ok && len(t.Handlers) > 0 && covering(t.Body, n) != nil {
			return true
		}
		if w, ok := st.(*ast.With); ok && slices.ContainsFunc(w.Items, func(i *ast.WithItem) bool { return CalleeName(i.Context) == "suppress" }) {
			return true
		}
		for _, b := range ast.Blocks(st) {
			if tried(b, n) {
				return true
			}
		}
	}
	return false
}

// TriedAbove reports whether a node, or a call on the way to its evaluation, stands in a try.
func TriedAbove(f *infer.Frame, n ast.Node) bool {
	for range maxSteps {
		if Tried(f, n) {
			return true
		}
		if f.Call == nil || f.Call.Frame == nil {
			return false
		}
		n, f = f.Call.Node, f.Call.Frame
	}
	return false
}

// AskedType reports whether a condition on the way to v asks of what type something is.
func AskedType(v *infer.Val) bool {
	return v.Guarded(func(g *infer.Guard) bool {
		asks := false
		if g.Cond == nil || g.Cond.Node == nil {
			return true
		}
		ast.Walk(g.Cond.Node, func(n ast.Node) bool {
			switch CalleeName(n) {
			case "isinstance", "type", "hasattr", "callable":
				asks = true
			}
			return !asks
		})
		return asks
	})
}

// AskedOfAnswer reports whether a condition on the way to v, in its body or in those that call it, asks of what a policy wrote.
func AskedOfAnswer(v *infer.Val) bool {
	return v == nil || v.Guarded(func(g *infer.Guard) bool { return g.Cond == nil || OfAnswer(g.Cond) })
}

// RegexFunctions are the functions of re that search, by their qualified names without the module.
var RegexFunctions = Words(`search match fullmatch findall finditer sub subn split`)

// Regex is a search with a pattern that is known.
type Regex struct {
	Call    *ast.Call
	Frame   *infer.Frame
	Name    string // search, match, ...
	Pattern string
	// At is where pattern and flags are given: this call or re.compile's, in its frame.
	At      *ast.Call
	AtFrame *infer.Frame
	// Written is where the pattern is written as one text; unknown where it is put together.
	Written Place
	// Subject is what is searched, or nil.
	Subject *infer.Val
	// Flags are given, or nil.
	Flags ast.Expr
}

// RegexAt reads a call of re.search(pattern, text) or pattern.search(text).
func RegexAt(f *infer.Frame, call *ast.Call) (Regex, bool) {
	r := Regex{Call: call, Frame: f, At: call, AtFrame: f}
	name := CalledSymbol(f, call)
	module, base, _ := strings.Cut(name, ".")
	if (module == "re" || module == "regex") && RegexFunctions[base] {
		r.Name = base
		return r, r.read(call, f, len(call.Args) > 1, 1)
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || !RegexFunctions[at.Attr] {
		return r, false
	}
	made := infer.Strip(f.Val(at.X))
	if made == nil || made.Frame == nil {
		return r, false
	}
	compile, ok := made.Node.(*ast.Call)
	if !ok || CalleeName(compile) != "compile" {
		return r, false
	}
	if sym := CalledSymbol(made.Frame, compile); sym != "re.compile" && sym != "regex.compile" {
		return r, false
	}
	r.Name, r.At, r.AtFrame = at.Attr, compile, made.Frame
	if len(call.Args) > 0 {
		r.Subject = f.Val(call.Args[0])
	}
	return r, r.read(compile, made.Frame, false, 0)
}

// read takes pattern and flags out of a call.
func (r *Regex) read(call *ast.Call, f *infer.Frame, subject bool, i int) bool {
	pattern := firstArg(call, "pattern")
	if pattern == nil {
		return false
	}
	text, ok := f.Val(pattern).Str()
	r.Pattern = text
	if v := infer.Strip(f.Val(pattern)); ok && v != nil && v.Frame != nil {
		if _, one := v.Node.(*ast.String); one {
			r.Written = PlaceOf(v)
		}
	}
	if subject {
		r.Subject = f.Val(call.Args[i])
	}
	flags := map[string]int{"search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "compile": 1, "sub": 4, "subn": 4, "split": 3}[CalleeName(call)]
	if flags < len(call.Args) {
		r.Flags = call.Args[flags]
	}
	for _, k := range call.Keywords {
		if k.Name == "flags" {
			r.Flags = k.Value
		}
		if k.Name == "string" {
			r.Subject = f.Val(k.Value)
		}
	}
	return ok
}
