package changeoftemporary

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Weights that only a variable gets
//
// A loop over the parameters of a network gives its variable new values, `q = tau * p + (1 - tau) * q`, and nothing reads the variable until the
// loop binds it anew. The parameter is what it was. All of that is in the syntax: which method lists parameters, what has an effect, and
// where a variable is read.

var (
	listing  = query.Words(`parameters named_parameters buffers named_buffers state_dict`)
	throughs = query.Words(`builtins.zip builtins.enumerate builtins.list builtins.tuple builtins.reversed builtins.iter`)
	items    = query.Words(`items values`)
	// yields are methods of tensors that return what they compute and change nothing.
	yields = query.Words(`clone detach clamp clip mul add sub div lerp cpu cuda to float double half neg sign abs`)
)

// reportRebound reports the statements of a frame by which the variable of a loop over parameters takes new weights and drops them.
func reportRebound(p *pass.Pass, f *infer.Frame) {
	for _, n := range f.Nodes() {
		loop, ok := n.(*ast.For)
		if !ok || !lists(f, loop.Iter, 3) {
			continue
		}
		bound := namesOf(loop.Target)
		ast.WalkStmts(loop.Body, func(n ast.Node) bool {
			as, ok := n.(*ast.Assign)
			if ok && len(as.Targets) == 1 {
				if name, ok := as.Targets[0].(*ast.Name); ok && slices.Contains(bound, name.Ident) && isWeights(f, written(loop, as), bound) && !isRead(f, loop, as, name.Ident) {
					p.Report(rebound(as, f, name.Ident))
				}
			}
			return !infer.IsBody(n)
		})
	}
}

func rebound(as *ast.Assign, f *infer.Frame, name string) pass.Finding {
	return pass.Finding{
		At: as.Value, Frame: f, Evidence: domain.Derived, Message: "new weights are given to a variable of the loop, and dropped",
		Why:  "the assignment makes `" + name + "` another tensor and leaves the parameter as it was, so the network keeps its weights",
		Help: "write into the parameter: `" + name + ".data.copy_(...)`",
	}
}

// lists reports whether an iterable lists what a network holds, alone or together with others.
func lists(f *infer.Frame, iter ast.Expr, depth int) bool {
	call, ok := iter.(*ast.Call)
	if !ok || depth == 0 {
		v := f.Val(iter)
		return v != nil && v.IsOp("parameters", "named_parameters")
	}
	at, ok := call.Fun.(*ast.Attribute)
	switch {
	case ok && listing[at.Attr]:
		return true
	case ok && items[at.Attr]:
		return lists(f, at.X, depth-1)
	}
	return throughs[query.CalledSymbol(f, call)] && slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return lists(f, e, depth-1) })
}

func namesOf(target ast.Expr) []string {
	var out []string
	ast.Walk(target, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok {
			out = append(out, x.Ident)
		}
		return true
	})
	return out
}

// written is what a statement assigns: of a variable that the loop binds once, what it binds it to.
func written(loop *ast.For, as *ast.Assign) ast.Expr {
	name, ok := as.Value.(*ast.Name)
	if !ok {
		return as.Value
	}
	var out []ast.Expr
	query.Targets(loop.Body, func(t ast.Expr, by ast.Stmt) {
		if x, ok := t.(*ast.Name); ok && x.Ident == name.Ident {
			var value ast.Expr
			if from, ok := by.(*ast.Assign); ok && len(from.Targets) == 1 && from.Targets[0] == t {
				value = from.Value
			}
			out = append(out, value)
		}
	})
	if len(out) != 1 || out[0] == nil {
		return as.Value
	}
	return out[0]
}

// isWeights reports whether an expression computes something of the loop's own variables, and does nothing else: what changes a tensor in
// place has an effect beside its value.
func isWeights(f *infer.Frame, e ast.Expr, bound []string) bool {
	reads, pure := false, true
	ast.Walk(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			reads = reads || slices.Contains(bound, n.Ident)
		case *ast.Call:
			pure = pure && isPure(f, n)
		case *ast.BinOp:
			switch n.Op {
			case ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow:
			default:
				pure = false
			}
		case *ast.Attribute, *ast.Number, *ast.Constant, *ast.UnaryOp, *ast.Keyword:
		default:
			pure = false
		}
		return pure
	})
	return reads && pure
}

func isPure(f *infer.Frame, call *ast.Call) bool {
	name := query.CalledSymbol(f, call)
	if strings.HasPrefix(name, "torch.") {
		return !strings.HasSuffix(name, "_") && !slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "out" || k.Name == "" })
	}
	at, ok := call.Fun.(*ast.Attribute)
	return ok && name == "" && yields[at.Attr]
}

// isRead reports whether a variable of a loop may be read after an assignment to it, before the loop, or another one, binds it anew.
func isRead(f *infer.Frame, loop *ast.For, as *ast.Assign, name string) bool {
	from := as.Span().End
	for _, l := range query.Around(query.Place{Frame: f, Node: as}) {
		if l.Stmt != ast.Stmt(loop) && loop.Span().Covers(l.Stmt.Span()) { // a later round of a loop inside
			from = min(from, l.Stmt.Span().Start)
		}
	}
	read := false
	for _, st := range f.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.For:
				return n == loop || loop.Span().Covers(n.Span()) || !slices.Contains(namesOf(n.Target), name)
			case *ast.Global, *ast.Nonlocal:
				read = true
			case *ast.Name:
				read = read || n.Ident == name && isAfter(loop, as, from, n.Span().Start)
			}
			return !read
		})
	}
	return read
}

// isAfter reports whether a run may come from an assignment in a loop to a place before the loop's next round: below it, or
// anywhere outside.
func isAfter(loop *ast.For, as *ast.Assign, from, place uint32) bool {
	if as.Span().Start <= place && place < as.Span().End {
		return false
	}
	inside := loop.Span().Start <= place && place < loop.Span().End
	return !inside || place >= from
}
