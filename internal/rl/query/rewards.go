package query

import (
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Rewards are the expressions that yield the reward of an answer in a function that scores: what it returns where it is called for
// each answer, else what it puts into the list that it returns.
func Rewards(f *infer.Frame, sc infer.Scored) (out []ast.Expr) {
	OwnStmts(f, func(st ast.Stmt) {
		ret, ok := st.(*ast.Return)
		if !ok || ret.X == nil {
			return
		}
		if sc.By.Each {
			out = append(out, ret.X)
			return
		}
		out = append(out, Listed(f, ret.X)...)
	})
	if f.Func != nil && f.Func.Lambda != nil {
		out = append(out, Listed(f, f.Func.Lambda.Body)...)
	}
	return out
}

// Listed are the expressions of the elements of a list: of a comprehension or display, and what is appended to a variable.
func Listed(f *infer.Frame, e ast.Expr) (out []ast.Expr) {
	if name, ok := e.(*ast.Name); ok {
		for _, call := range Appends(f, name.Ident) {
			out = append(out, call.Args[0])
		}
		e = Made(f, e)
	}
	switch n := e.(type) {
	case *ast.Comp:
		if n.Elt != nil && n.Kind == ast.ListComp {
			out = append(out, n.Elt)
		}
	case *ast.List:
		out = append(out, n.Elts...)
	}
	return out
}

// Appends are the calls of append on a variable of a frame.
func Appends(f *infer.Frame, name string) (out []*ast.Call) {
	for _, n := range f.Nodes() {
		call, ok := n.(*ast.Call)
		if !ok || CalleeName(call) != "append" || len(call.Args) != 1 {
			continue
		}
		if at, ok := call.Fun.(*ast.Attribute); ok && Path(at.X) == name {
			out = append(out, call)
		}
	}
	return out
}

// Made is the expression of the same frame that computed what a variable holds, else the expression itself.
func Made(f *infer.Frame, e ast.Expr) ast.Expr {
	if _, ok := e.(*ast.Name); !ok {
		return e
	}
	v := f.Val(e)
	for v != nil && v.Op == infer.OpNarrow && len(v.In) > 0 {
		v = v.In[0]
	}
	if v != nil && v.Frame == f {
		if made, ok := v.Node.(ast.Expr); ok {
			return made
		}
	}
	return e
}

// IsMatch reports whether v is what a search of re yields: a match, or None.
func IsMatch(v *infer.Val) bool {
	for v != nil && (v.Op == infer.OpNarrow || v.Op == infer.OpCall && !v.Unfollowed()) && len(v.In) > 0 {
		v = v.In[0]
	}
	if v == nil || v.Frame == nil {
		return false
	}
	call, ok := v.Node.(*ast.Call)
	if !ok {
		return false
	}
	r, ok := RegexAt(v.Frame, call)
	return (ok || r.Name != "") && (r.Name == "search" || r.Name == "match" || r.Name == "fullmatch")
}

// Tested reports whether some condition of a frame mentions one of the variables of an expression elsewhere than there: what depends
// on it is taken for guarded.
func Tested(f *infer.Frame, e ast.Expr) bool {
	names := map[string]bool{}
	ast.Walk(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok {
			names[x.Ident] = true
		}
		return true
	})
	found := false
	asks := func(cond ast.Expr) {
		if cond == nil {
			return
		}
		ast.Walk(cond, func(n ast.Node) bool {
			x, ok := n.(*ast.Name)
			found = found || ok && names[x.Ident] && !e.Span().Covers(x.Span())
			return !found
		})
	}
	for _, st := range f.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.If:
				asks(n.Cond)
			case *ast.While:
				asks(n.Cond)
			case *ast.IfExp:
				asks(n.Cond)
			case *ast.Assert:
				asks(n.Cond)
			case *ast.BoolOp:
				asks(n)
			case *ast.Comp:
				for _, c := range n.Clauses {
					for _, x := range c.Ifs {
						asks(x)
					}
				}
			case *ast.Match:
				asks(n.Subject)
			}
			return !found
		})
	}
	return found
}

var (
	pair    = regexp.MustCompile(`<\s*([A-Za-z_]\w*)\s*>(.*?)<\s*/`)
	anyChar = regexp.MustCompile(`(?:^|[^\\])\.[*+]`)
)

// StopsAtNewline is the tag in a pattern, as "think", around what is matched by a dot though it is written on many lines; "" where the dot takes
// line ends, or the text is usually short.
func (r Regex) StopsAtNewline(long map[string]bool) string {
	if strings.Contains(r.Pattern, "(?s") || strings.Contains(r.Pattern, "(?is") || strings.Contains(r.Pattern, "(?ms") || r.dotAll() {
		return ""
	}
	for _, m := range pair.FindAllStringSubmatch(r.Pattern, -1) {
		if long[strings.ToLower(m[1])] && anyChar.MatchString(m[2]) {
			return m[1]
		}
	}
	return ""
}

// dotAll reports whether flags may let a dot take line ends: they do by name, or are not known.
func (r Regex) dotAll() bool {
	if r.Flags == nil {
		return false
	}
	known, all := true, false
	ast.Walk(r.Flags, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			all = all || n.Attr == "DOTALL" || n.Attr == "S"
			return false
		case *ast.BinOp:
		default:
			known = false
		}
		return true
	})
	return all || !known
}

// OnlyDigits reports whether each group of a pattern takes nothing but what Python reads as a number.
func (r Regex) OnlyDigits() bool {
	return r.Pattern != "" && !strings.Contains(r.Pattern, ".*") && !strings.Contains(r.Pattern, ".+") && !strings.Contains(r.Pattern, "[^") && strings.Contains(r.Pattern, `\d`)
}
