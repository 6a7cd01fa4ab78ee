package pass

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Where a name is read
//
// That a setting is never read is a claim about text: settings travel through
// records, namespaces and keywords whose types nobody knows, but under their name.
// So all places where the name stands are listed, and what each does with it. It
// errs on the side of reading: an attribute of that name on any object counts.

// How says what a mention of a name does.
type How uint8

// The ways in which a name is mentioned.
const (
	Read      How = iota // a variable's value
	Attr                 // an attribute of that name
	Key                  // a text: a key, an option, getattr
	Passed               // a keyword argument of that name
	Parameter            // a parameter
	Bound                // a variable or module constant that is assigned
	FieldOf              // a field that a class body declares
	AttrSet              // an attribute that is assigned
)

// Mention is one place where a name stands.
type Mention struct {
	Name string
	How  How
	Node ast.Node
	// Module is where it stands, Frame an evaluation of something in it.
	Module *infer.Module
	Frame  *infer.Frame
	// Func and Class are the innermost ones around it, or nil. A parameter is inside
	// its function.
	Func  *ast.FunctionDef
	Class *ast.ClassDef
	// Parents are the nodes above, innermost first, up to Func.
	Parents []ast.Node
	// Value is what is assigned, or the default; nil where there is none.
	Value ast.Expr
	// Logged says that the value goes where people read it, and nowhere else.
	Logged bool
}

// Parent is the node right above a mention, or nil.
func (m Mention) Parent() ast.Node {
	if len(m.Parents) == 0 {
		return nil
	}
	return m.Parents[0]
}

// Matcher says which names a rule asks about. A rule makes it once, as a variable:
// a module remembers by it where the names stand, and is asked by
// every module that imports it.
type Matcher struct{ match func(string) bool }

// Matching returns the Matcher of the names for which match is true.
func Matching(match func(string) bool) *Matcher { return &Matcher{match} }

// Mentions lists where the names that match stand in the modules of the program
// of which something was evaluated, in no particular order of modules.
func (p *Pass) Mentions(names *Matcher) []Mention {
	return p.mentions(func(s *Source) []Mention { return s.holding(names) })
}

// MentionsOf is Mentions of one name.
func (p *Pass) MentionsOf(name string) []Mention {
	is := func(n string) bool { return n == name }
	return p.mentions(func(s *Source) []Mention { return s.mentions(is, s.statements()[name]) })
}

// maxUnreached bounds the definitions through which it is asked how a program comes to a mention.
const maxUnreached = 128

// Unreached reports whether a program, as far as it was evaluated, comes to no function or class around a mention: what was
// evaluated names none of them, nor one that names them. Python finds definitions by their names.
func (p *Pass) Unreached(x Mention) bool {
	known := map[string]bool{}
	work := []Mention{x}
	for i := 0; i < len(work); i++ {
		x := work[i]
		name := ""
		switch {
		case x.Func != nil && p.Evaluated(x.Func) || i == maxUnreached:
			return false
		case x.Class != nil:
			name = x.Class.Name
		case x.Func != nil && len(x.Func.Decorators) == 0:
			name = x.Func.Name
		default:
			return false
		}
		if known[name] {
			continue
		}
		known[name] = true
		for _, y := range p.MentionsOf(name) {
			if a, ok := y.Node.(*ast.Attribute); ok && x.Class == nil && isSelf(y, a.X) { // a method of that name
				continue
			}
			work = append(work, y)
		}
	}
	return true
}

// mentions lists the mentions that in finds in each module.
func (p *Pass) mentions(in func(*Source) []Mention) []Mention {
	var out []Mention
	for m, f := range p.Modules() {
		src := sourceOf(m)
		if src == nil {
			continue
		}
		for _, x := range in(src) {
			x.Module, x.Frame = m, f
			out = append(out, x)
		}
	}
	return out
}

// mentions lists the mentions in some of the outermost statements, without module and frame.
func (s *Source) mentions(match func(string) bool, statements []int32) []Mention {
	l := &lister{match: match}
	for _, n := range statements { // most names stand in few
		l.visit(s.AST.Body[n])
	}
	return l.out
}

// statements are, for each name and text that stands in the module, the numbers of the
// outermost statements in which it stands: all that a Mention can be of.
func (s *Source) statements() map[string][]int32 {
	s.wordsOnce.Do(func() {
		s.words = map[string][]int32{}
		for i, st := range s.AST.Body {
			ast.Walk(st, func(n ast.Node) bool {
				if w := word(n); w != "" {
					if in := s.words[w]; len(in) == 0 || in[len(in)-1] != int32(i) {
						s.words[w] = append(in, int32(i))
					}
				}
				return true
			})
		}
	})
	return s.words
}

// holding returns where the names stand, without module and frame, in order. All modules that
// import this one ask for the same.
func (s *Source) holding(names *Matcher) []Mention {
	if known, ok := s.held.Load(names); ok {
		return known.([]Mention)
	}
	var at []int32
	for w, in := range s.statements() {
		if names.match(w) {
			at = append(at, in...)
		}
	}
	slices.Sort(at)
	out := s.mentions(names.match, slices.Compact(at))
	s.held.Store(names, out)
	return out
}

// word is the name or text that a node spells, or "".
func word(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Name:
		return n.Ident
	case *ast.Attribute:
		return n.Attr
	case *ast.String:
		return n.Value
	case *ast.Keyword:
		return n.Name
	case *ast.Param:
		return n.Name
	}
	return ""
}

// MentionedElsewhere reports whether a name stands in the text of a file that has to do
// with a module, other than the modules known: see Source.Texts.
func (p *Pass) MentionedElsewhere(of *infer.Module, name string, known []*infer.Module) bool {
	if p.Source.Texts == nil {
		return false
	}
	option := bytes.ReplaceAll([]byte(name), []byte("_"), []byte("-"))
	for path, text := range p.Source.Texts(of.Path) {
		if slices.ContainsFunc(known, func(m *infer.Module) bool { return m.Path == path }) {
			continue
		}
		if hasWord(text, []byte(name)) || hasWord(text, option) {
			return true
		}
	}
	return false
}

// BoundElsewhere reports whether the text of another file that has to do with a module asserts that a setting is greater than 1, as the
// function that parses the options does.
func (p *Pass) BoundElsewhere(of *infer.Module, setting string) bool {
	if p.Source.Texts == nil || setting == "" {
		return false
	}
	asserts := regexp.MustCompile(`\bassert\b[\s(]*[\w.]*\b` + regexp.QuoteMeta(setting) + `\s*(>\s*1|>=\s*2|!=\s*1)\b`)
	for path, text := range p.Source.Texts(of.Path) {
		if path != of.Path && asserts.Match(text) {
			return true
		}
	}
	return false
}

// CalledElsewhere reports whether a method of an attribute is called in the text of another file that has to do with a
// module, in a function that does not call all of some other methods too.
func (p *Pass) CalledElsewhere(of *infer.Module, attr, method string, with ...string) bool {
	if p.Source.Texts == nil {
		return false
	}
	for path, text := range p.Source.Texts(of.Path) {
		if path == of.Path || !hasWord(text, []byte(attr+"."+method)) {
			continue
		}
		for _, body := range functions(text) {
			if hasWord(body, []byte(attr+"."+method)) && slices.ContainsFunc(with, func(w string) bool { return !hasWord(body, []byte(w)) }) {
				return true
			}
		}
	}
	return false
}

// functions are the parts of a text that begin with a def, and what stands before the first.
func functions(text []byte) (out [][]byte) {
	from, at := 0, 0
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("def ")) {
			out, from = append(out, text[from:at]), at
		}
		at += len(line)
	}
	return append(out, text[from:])
}

// hasWord reports whether a word stands in a text, not as part of a longer one.
func hasWord(text, word []byte) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(word)
		if (i == 0 || !isWordByte(text[i-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		at = end
	}
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// lister walks a module with what is above.
type lister struct {
	match   func(string) bool
	fn      *ast.FunctionDef
	class   *ast.ClassDef
	parents []ast.Node // outermost first, inside fn
	logged  int
	out     []Mention
}

func (l *lister) add(name string, how How, n ast.Node, value ast.Expr) {
	if !l.match(name) {
		return
	}
	parents := slices.Clone(l.parents)
	slices.Reverse(parents)
	l.out = append(l.out, Mention{
		Name: name, How: how, Node: n, Func: l.fn, Class: l.class, Parents: parents,
		Value: value, Logged: l.logged > 0,
	})
}

func (l *lister) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.FunctionDef:
		l.function(n)
		return
	case *ast.ClassDef:
		fn, class, parents := l.fn, l.class, l.parents
		l.class, l.parents = n, nil
		l.children(n)
		l.fn, l.class, l.parents = fn, class, parents
		return
	case *ast.Call:
		switch {
		case isLogCall(n):
			l.logged++
			defer func() { l.logged-- }()
		case l.logged > 0 && !telling[query.CalleeName(n)]: // print(train(args.lr)) trains
			logged := l.logged
			l.logged = 0
			defer func() { l.logged = logged }()
		}
	case *ast.Keyword:
		l.add(n.Name, Passed, n, n.Value)
	case *ast.Assign:
		for _, t := range n.Targets {
			l.target(t, n.Value)
		}
		l.within(n, func() { l.visit(n.Value) })
		return
	case *ast.AnnAssign:
		l.target(n.Target, n.Value)
		if n.Value != nil {
			l.within(n, func() { l.visit(n.Value) })
		}
		return
	case *ast.Name:
		l.add(n.Ident, Read, n, nil)
	case *ast.Attribute:
		l.add(n.Attr, Attr, n, nil)
	case *ast.String:
		l.add(n.Value, Key, n, nil)
	case *ast.Param:
		l.add(n.Name, Parameter, n, n.Default)
	}
	l.within(n, func() { l.children(n) })
}

func (l *lister) within(n ast.Node, f func()) {
	l.parents = append(l.parents, n)
	f()
	l.parents = l.parents[:len(l.parents)-1]
}

func (l *lister) children(n ast.Node) { ast.Children(n, l.visit) }

// function visits what stands around a function outside of it, the rest inside.
func (l *lister) function(n *ast.FunctionDef) {
	fn, class, parents := l.fn, l.class, l.parents
	for _, d := range n.Decorators {
		l.visit(d)
	}
	l.fn, l.parents = n, nil
	if n.Params != nil {
		l.visit(n.Params)
	}
	for _, st := range n.Body {
		l.visit(st)
	}
	l.fn, l.class, l.parents = fn, class, parents
}

// target notes what an assignment binds; what it computes to get there is read.
func (l *lister) target(t ast.Expr, value ast.Expr) {
	switch t := t.(type) {
	case *ast.Name:
		how := Bound
		if l.class != nil && l.fn == nil {
			how = FieldOf
		}
		l.add(t.Ident, how, t, value)
	case *ast.Attribute:
		l.add(t.Attr, AttrSet, t, value)
		l.visit(t.X)
	case *ast.Tuple:
		values, _ := value.(*ast.Tuple)
		for i, e := range t.Elts {
			var own ast.Expr
			if values != nil && len(values.Elts) == len(t.Elts) && !slices.ContainsFunc(slices.Concat(t.Elts, values.Elts), isStarred) {
				own = values.Elts[i]
			}
			l.target(e, own)
		}
	default:
		l.visit(t)
	}
}

func isStarred(e ast.Expr) bool { _, is := e.(*ast.Starred); return is }

// telling are functions and methods that make of a number what people read, and do nothing with it.
var telling = query.Words(`str repr round format join float int len max min sum mean abs sorted list tuple dict vars asdict items item get`)

// isLogCall reports whether a call shows, logs or writes its arguments.
func isLogCall(n *ast.Call) bool {
	return query.Loggers[query.CalleeName(n)] || query.LoggerObject(n)
}
