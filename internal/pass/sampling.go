package pass

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// OnArg makes a fix that calls a method on a broken contract's argument: "exp()".
// It is nil where the argument has no syntax of its own at the call.
func (p *Pass) OnArg(v Violation, message, method string) *Fix {
	e := p.Operand(v.Call, v.Arg)
	if e == nil {
		return nil
	}
	return &Fix{Message: message, Edits: p.In(v.Call.Frame).Method(e, "."+method)}
}

// Rename makes the edits by which a call passes its argument by another keyword:
// Categorical(x) and Categorical(probs=x) become Categorical(logits=x). It
// returns nil where further positional arguments or a method's receiver stand in
// the way.
func (p *Pass) Rename(call, arg *infer.Val, to string) []Edit {
	n, ok := call.Node.(*ast.Call)
	if !ok {
		return nil
	}
	for _, k := range n.Keywords {
		if call.Frame.Val(k.Value) == arg {
			start := k.Span().Start
			return []Edit{{ast.Span{Start: start, End: start + uint32(len(k.Name))}, to}}
		}
	}
	if len(n.Args) == 1 && call.Frame.Val(n.Args[0]) == arg {
		start := n.Args[0].Span().Start
		return []Edit{{ast.Span{Start: start, End: start}, to + "="}}
	}
	return nil
}

// Chosen reports whether the body around a broken contract has, in a branch that is taken in its place, a call of the same
// function that passes its argument by another keyword: a flag says which of logits and probs a
// network yields, and a subclass that is not seen may set it.
func (p *Pass) Chosen(v Violation, keyword string) bool {
	f := v.Call.Frame
	if f == nil || p.In(f) == nil {
		return false
	}
	name, found := query.CalleeName(v.Call.Node), false
	passes := func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		found = found || ok && query.CalleeName(n) == name &&
			slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == keyword })
		return !found
	}
	arm := func(body []ast.Stmt) {
		if !slices.ContainsFunc(body, func(st ast.Stmt) bool { return st.Span().Covers(v.Call.Node.Span()) }) {
			ast.WalkStmts(body, passes)
		}
	}
	for _, n := range f.Nodes() {
		switch n := n.(type) {
		case *ast.If:
			arm(n.Then)
			arm(n.Else)
		case *ast.IfExp:
			for _, x := range []ast.Expr{n.Then, n.Else} {
				if !x.Span().Covers(v.Call.Node.Span()) {
					ast.Walk(x, passes)
				}
			}
		case *ast.Match:
			for _, c := range n.Cases {
				arm(c.Body)
			}
		}
	}
	return name != "" && found
}
