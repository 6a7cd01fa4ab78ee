package pass

import (
	"sort"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// Fix is a change of the flagged module that fixes a finding.
type Fix struct {
	Message string // a verb phrase: "Add an epsilon to the denominator"
	// Applicability is weaker than the rule's page says where this one fix needs a
	// look; empty means as the page says.
	Applicability finding.Applicability
	// EveryContext says that the change is right wherever the function is called
	// from, also where nothing is wrong: adding an epsilon is, softmax is not.
	EveryContext bool
	// Edits must not overlap.
	Edits []Edit
	// Imports are statements that the new text needs; those whose names the module
	// imports already add nothing.
	Imports []string
}

// Edit replaces a span of the flagged module.
type Edit struct {
	Span ast.Span
	New  string
}

// suggested turns a fix into that of go/analysis.
func (f *Fix) suggested(src *Source) analysis.SuggestedFix {
	out := analysis.SuggestedFix{Message: f.Message}
	add := func(start, end uint32, text string) {
		out.TextEdits = append(out.TextEdits, analysis.TextEdit{Pos: src.pos(start), End: src.pos(end), NewText: []byte(text)})
	}
	for _, e := range f.Edits {
		add(e.Span.Start, e.Span.End, e.New)
	}
	for _, statement := range f.Imports {
		if !src.imports(statement) {
			e := edit.ImportInsertion(src.File.Text, statement)
			add(uint32(e.Start), uint32(e.End), e.New)
		}
	}
	return out
}

// Replace puts text in place of a node.
func (s *Source) Replace(n ast.Node, text string) []Edit { return []Edit{{n.Span(), text}} }

// Wrap puts text around a node: Wrap(n, "torch.exp(", ")"). The text must bring
// its own parentheses.
func (s *Source) Wrap(n ast.Node, before, after string) []Edit {
	span := n.Span()
	return []Edit{{ast.Span{Start: span.Start, End: span.Start}, before}, {ast.Span{Start: span.End, End: span.End}, after}}
}

// Method calls a method on a node: Method(n, ".exp()").
func (s *Source) Method(n ast.Expr, call string) []Edit {
	end := n.Span().End
	if own := s.after(n); own > end {
		end = own
	} else if precedence(n) < precPrimary {
		return s.Wrap(n, "(", ")"+call)
	}
	return []Edit{{ast.Span{Start: end, End: end}, call}}
}

// Operate appends an operator and its right operand to a node, with parentheses
// where the node or the place needs them: Operate(n, ast.Add, "1e-8") makes of
// x / s, with n = s, x / (s + 1e-8).
func (s *Source) Operate(n ast.Expr, op ast.Operator, operand string) []Edit {
	before, after := "", " "+opText[op]+" "+operand
	if precedence(n) < opPrec[op] {
		before, after = "(", ")"+after
	}
	if s.after(n) == n.Span().End && s.binds(n, opPrec[op]) {
		before, after = "("+before, after+")"
	}
	if before == "" {
		end := n.Span().End
		return []Edit{{ast.Span{Start: end, End: end}, after}}
	}
	return s.Wrap(n, before, after)
}

// binds reports whether what stands around n would take n away from an operator
// of that precedence appended to it.
func (s *Source) binds(n ast.Expr, prec int) bool {
	switch p := s.Parent(n).(type) {
	case *ast.BinOp:
		return opPrec[p.Op] >= prec
	case *ast.UnaryOp:
		return precedence(p) >= prec
	case *ast.Await, *ast.Attribute:
		return true
	case *ast.Call:
		return p.Fun == n
	case *ast.Subscript:
		return p.X == n
	}
	return false
}

// Parent returns the node directly above n, or nil for a statement of the module.
func (s *Source) Parent(n ast.Node) ast.Node {
	var parent ast.Node
	var visit func(ast.Node)
	visit = func(at ast.Node) {
		ast.Children(at, func(child ast.Node) {
			if child == n {
				parent = at
			} else if parent == nil && child.Span().Covers(n.Span()) {
				visit(child)
			}
		})
	}
	body, span := s.AST.Body, n.Span()
	// Statements are in order, and a module may have very many.
	i := sort.Search(len(body), func(i int) bool { return body[i].Span().End >= span.End })
	for ; i < len(body) && body[i].Span().Start <= span.Start; i++ {
		if body[i] != n && body[i].Span().Covers(span) {
			visit(body[i])
		}
	}
	return parent
}

// Operand returns the source of a node for use as an operand: in parentheses
// unless it is a name, a call or the like.
func (s *Source) Operand(n ast.Expr) string {
	text := s.Text(n)
	if precedence(n) < precPrimary {
		return "(" + text + ")"
	}
	return text
}

// SetArg gives a call's parameter another value: the keyword or positional
// argument where there is one, else a new keyword. index is the parameter's
// position, or -1 where it can only be named.
func (s *Source) SetArg(call *ast.Call, index int, name, value string) []Edit {
	for _, k := range call.Keywords {
		if k.Name == name {
			return s.Replace(k.Value, value)
		}
	}
	if index >= 0 && index < len(call.Args) {
		return s.Replace(call.Args[index], value)
	}
	return s.addArg(call, name+"="+value)
}

// addArg appends an argument before the closing parenthesis.
func (s *Source) addArg(call *ast.Call, text string) []Edit {
	last := lastArg(call)
	if last == nil {
		at := call.Span().End - 1
		return []Edit{{ast.Span{Start: at, End: at}, text}}
	}
	at := s.after(last) // behind the parentheses around the argument itself
	if at >= call.Span().End {
		at = last.Span().End
	}
	return []Edit{{ast.Span{Start: at, End: at}, ", " + text}}
}

func lastArg(call *ast.Call) ast.Node {
	var last ast.Node
	for _, a := range call.Args {
		last = a
	}
	for _, k := range call.Keywords {
		if last == nil || k.Span().Start > last.Span().Start {
			last = k
		}
	}
	return last
}

// after returns the offset behind a node and the closing parentheses that are
// its own.
func (s *Source) after(n ast.Node) uint32 {
	text := s.AST.Text
	start, end := int(n.Span().Start), int(n.Span().End)
	for {
		i, j := start-1, end
		for i >= 0 && isBlank(text[i]) {
			i--
		}
		for j < len(text) && isBlank(text[j]) {
			j++
		}
		if i < 0 || j >= len(text) || text[i] != '(' || text[j] != ')' || i > 0 && isWord(text[i-1]) {
			return uint32(end)
		}
		start, end = i, j+1
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isWord(c byte) bool {
	return c == '_' || c == ')' || c == ']' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
