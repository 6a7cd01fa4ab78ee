package pass

import (
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// calls are the calls by which a value came into the frame of a finding, nearest
// first: up to the outermost caller that held the value; where none did, since it
// came by an attribute or a callee, up to the nearest evaluation that led to both.
func (p *Pass) calls(f *Finding, chain []step) []Related {
	held, led := map[*infer.Frame]bool{}, map[*infer.Frame]bool{}
	for _, v := range chain {
		if v.frame == f.Frame {
			continue
		}
		for g := v.frame; g != nil && len(held) == 0; g = g.Caller {
			led[g] = true
		}
		held[v.frame] = true
	}
	var out []Related
	known := 0
	for g := f.Frame; g != nil && g.Call != nil && g.Call.Node != nil && g.Caller != nil && len(out) < maxRelated; g = g.Caller {
		if p.In(g.Caller) == nil {
			break
		}
		out = append(out, Related{p.In(g.Caller), g.Call.Node, fmt.Sprintf("`%s` is called here", p.nameOf(g))})
		if held[g.Caller] || known == 0 && led[g.Caller] {
			known = len(out)
		}
	}
	return out[:known]
}

// LogSoftmax spells the log-softmax, or the logarithm of the sigmoid, of what was
// squashed, for use in place of what at computed; negated asks for that of the
// complement, 1 - sigmoid(x). The text is "" where the squashing is no call of a function
// or method in that evaluation, or what its arguments are called means something else by
// then.
func (p *Pass) LogSoftmax(squashed, at *infer.Val, negated bool) (text string, imports []string) {
	call, ok := squashed.Node.(*ast.Call)
	if !ok || squashed.Frame != at.Frame || at.Frame == nil || p.In(at.Frame) != p.Source {
		return "", nil
	}
	if !at.Node.Span().Covers(call.Span()) && (calls(call) || rebinds(at.Frame, call, at.Node)) {
		return "", nil
	}
	args := p.argsOf(squashed, call)
	if negated && len(call.Keywords) == 0 {
		args = "-" + operandOf(p.Source, call, squashed)
	}
	name, known := inOneStep[infer.BaseOp(squashed.Op)]
	if !known || args == "" || args == "-" {
		return "", nil
	}
	text, imports = p.Source.Spell(name)
	return text + "(" + args + ")", imports
}

// inOneStep are the functions that squash and take the logarithm in one step.
var inOneStep = map[string]string{"softmax": "torch.nn.functional.log_softmax", "sigmoid": "torch.nn.functional.logsigmoid"}

// argsOf is the text of what a function or method is given, the receiver first; "" for a
// layer, which holds its dimension itself.
func (p *Pass) argsOf(v *infer.Val, call *ast.Call) string {
	args := callArgs(p.Source, call)
	if isMethod(v, call) {
		return strings.TrimSuffix(p.Source.Text(call.Fun.(*ast.Attribute).X)+", "+args, ", ")
	}
	if fun := v.Frame.Val(call.Fun); fun != nil {
		if lib, ok := fun.Ref.(*infer.LibRef); ok && strings.HasPrefix(lib.Name, "torch.") {
			return args
		}
	}
	return ""
}

// calls reports whether something is computed for a call, which would be done twice
// if its arguments were written again.
func calls(call *ast.Call) bool {
	found := false
	ast.Walk(call, func(n ast.Node) bool {
		_, isCall := n.(*ast.Call)
		found = found || isCall && n != ast.Node(call)
		return !found
	})
	return found
}

// callArgs is the text between a call's parentheses.
func callArgs(src *Source, call *ast.Call) string {
	last := lastArg(call)
	if last == nil {
		return ""
	}
	first := last
	for _, a := range call.Args {
		first = earlier(first, a)
	}
	for _, k := range call.Keywords {
		first = earlier(first, k)
	}
	return string(src.AST.Text[first.Span().Start:last.Span().End])
}

func earlier(a, b ast.Node) ast.Node {
	if b.Span().Start < a.Span().Start {
		return b
	}
	return a
}

// operandOf is the one argument of a sigmoid, as an operand.
func operandOf(src *Source, call *ast.Call, v *infer.Val) string {
	switch {
	case isMethod(v, call):
		return src.Operand(call.Fun.(*ast.Attribute).X)
	case len(call.Args) == 1 && len(call.Keywords) == 0:
		return src.Operand(call.Args[0])
	}
	return ""
}

// isMethod reports whether a call is a method of its operation's first input.
func isMethod(v *infer.Val, call *ast.Call) bool {
	at, ok := call.Fun.(*ast.Attribute)
	return ok && v.Frame.Val(at.X) == v.In[0]
}

// rebinds reports whether a name that the expression e loads may mean something else
// at a later place: it is bound anywhere behind e, or later is not behind e.
func rebinds(f *infer.Frame, e, later ast.Node) bool {
	if later.Span().Start < e.Span().End {
		return true
	}
	names := map[string]bool{}
	ast.Walk(e, func(n ast.Node) bool {
		if n, ok := n.(*ast.Name); ok {
			names[n.Ident] = true
		}
		return true
	})
	bound := false
	for _, st := range f.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			for _, t := range targetsOf(n) {
				bound = bound || t.Span().Start > e.Span().End && mentions(t, names)
			}
			return !bound
		})
	}
	return bound
}

// targetsOf are the expressions that a statement binds.
func targetsOf(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.Assign:
		return n.Targets
	case *ast.AugAssign:
		return []ast.Expr{n.Target}
	case *ast.AnnAssign:
		return []ast.Expr{n.Target}
	case *ast.For:
		return []ast.Expr{n.Target}
	case *ast.NamedExpr:
		return []ast.Expr{n.Target}
	case *ast.WithItem:
		if n.Target != nil {
			return []ast.Expr{n.Target}
		}
	}
	return nil
}

func mentions(e ast.Expr, names map[string]bool) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		found = found || ok && names[name.Ident]
		return !found
	})
	return found
}
