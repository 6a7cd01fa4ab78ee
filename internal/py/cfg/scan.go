package cfg

import (
	"strings"
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// event is one step of evaluation that concerns places: a use (use is set) or
// definitions that take place together.
type event struct {
	use   ast.Expr
	place placeID // of a use
	// defs are what the event defines; of a use, what it is bound to where that
	// is certain: a comprehension's or a lambda's own variable.
	defs []*Def
}

// placeID numbers the places of one graph.
type placeID int32

// noPlace is the parent of a variable, and what a computed value is.
const noPlace placeID = -1

// placeNode is a place as a step from its parent.
type placeNode struct {
	parent placeID
	step   string // x, .attr or ["key"]
}

// wildStore is a store that may have defined other places below parent than the
// one it names: one under a computed key, or under a negative index.
type wildStore struct {
	parent placeID
	key    string // the constant key, or empty
	event  int    // to which the definitions are added
	model  Def
}

// scanner turns nodes into events in the order in which Python evaluates.
type scanner struct {
	ids    map[placeNode]placeID
	places []placeNode
	events []event
	defs   []*Def
	slab   []Def // definitions not handed out yet
	wild   []wildStore
	bound  []*Def // variables of the comprehensions and lambdas around, innermost last
	maybe  int    // depth of sub-expressions that may not be evaluated
	comps  []*ast.Comp
}

// scanners holds scanners for reuse: their tables are most of what an analysis of
// a function would allocate.
var scanners = sync.Pool{New: func() any { return &scanner{ids: map[placeNode]placeID{}} }}

// release empties a scanner and hands it back, unless it has grown large.
func (s *scanner) release() {
	if len(s.events) > 1<<14 {
		return
	}
	clear(s.ids)
	clear(s.places)
	clear(s.events)
	*s = scanner{ids: s.ids, places: s.places[:0], events: s.events[:0]}
	scanners.Put(s)
}

// place interns a place.
func (s *scanner) place(parent placeID, step string) placeID {
	node := placeNode{parent, step}
	id, ok := s.ids[node]
	if !ok {
		id = placeID(len(s.places))
		s.ids[node] = id
		s.places = append(s.places, node)
	}
	return id
}

// name returns a place as written.
func (s *scanner) name(p placeID) Place {
	var steps []string
	for ; p >= 0; p = s.places[p].parent {
		steps = append(steps, s.places[p].step)
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteString(steps[i])
	}
	return Place(b.String())
}

// use notes a use of a place.
func (s *scanner) use(e ast.Expr, p placeID) placeID {
	if p >= 0 {
		s.events = append(s.events, event{use: e, place: p})
	}
	return p
}

// define notes a definition of a place.
func (s *scanner) define(p placeID, d Def) {
	if p < 0 {
		return
	}
	d.place, d.Weak = p, d.Weak || s.maybe > 0
	s.defs = append(s.defs, s.keep(d))
	n := len(s.defs)
	s.events = append(s.events, event{defs: s.defs[n-1 : n : n]})
}

// keep stores a definition.
func (s *scanner) keep(d Def) *Def {
	if len(s.slab) == 0 {
		s.slab = make([]Def, 4+len(s.defs))
	}
	kept := &s.slab[0]
	s.slab = s.slab[1:]
	*kept = d
	return kept
}

// spread turns stores under computed keys into weak definitions of every place
// that they may mean, now that all places are known.
func (s *scanner) spread() {
	if len(s.wild) == 0 {
		return
	}
	defined := map[placeID]bool{}
	for _, d := range s.defs {
		defined[d.place] = true
	}
	for p, node := range s.places {
		if !defined[placeID(p)] || node.step[0] != '[' {
			continue
		}
		for _, w := range s.wild {
			if w.parent != node.parent || !mayEqual(w.key, node.step) {
				continue
			}
			d := w.model
			d.place, d.Weak, d.Value = placeID(p), true, nil
			kept := s.keep(d)
			if s.defs = append(s.defs, kept); len(s.defs) > maxDefs {
				return
			}
			s.events[w.event].defs = append(s.events[w.event].defs, kept)
		}
	}
}

// mayEqual reports whether a store under one key may set the place under another
// key: computed keys (empty) may be any, negative indexes any other index.
func mayEqual(key, other string) bool {
	if key == "" {
		return true
	}
	return key != other && key[1] != '"' && other[1] != '"' && (key[1] == '-') != (other[1] == '-')
}

// params notes the parameters as the first events.
func (s *scanner) params(params *ast.Params) {
	if params == nil {
		return
	}
	for _, p := range params.List {
		if p.Name != "" {
			s.define(s.place(noPlace, p.Name), Def{Kind: DefParam, Node: p, Owner: p})
		}
	}
}

// node scans a block's node: for a compound statement only its head.
func (s *scanner) node(n ast.Node) {
	switch n := n.(type) {
	case ast.Expr:
		s.expr(n)
	case ast.Stmt:
		s.stmt(n)
	case *ast.Handler:
		s.expr(n.Type)
		if n.Name != "" {
			s.define(s.place(noPlace, n.Name), Def{Kind: DefExcept, Node: n, Owner: n})
		}
	case *ast.Case:
		s.pattern(n.Pattern, n)
	}
}

func (s *scanner) stmt(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.ExprStmt:
		s.expr(n.X)
	case *ast.Assign:
		s.expr(n.Value)
		for _, t := range n.Targets {
			s.target(t, Def{Kind: DefAssign, Owner: n, Value: n.Value})
		}
	case *ast.AugAssign:
		s.expr(n.Target)
		s.expr(n.Value)
		s.target(n.Target, Def{Kind: DefAugment, Owner: n})
	case *ast.AnnAssign:
		s.expr(n.Annotation)
		if n.Value != nil {
			s.expr(n.Value)
			s.target(n.Target, Def{Kind: DefAssign, Owner: n, Value: n.Value})
		}
	case *ast.Return:
		s.expr(n.X)
	case *ast.Raise:
		s.expr(n.X)
		s.expr(n.Cause)
	case *ast.Delete:
		for _, t := range n.Targets {
			s.target(t, Def{Kind: DefDelete, Owner: n})
		}
	case *ast.For:
		s.target(n.Target, Def{Kind: DefFor, Owner: n})
	case *ast.With:
		for _, item := range n.Items {
			s.expr(item.Context)
			s.target(item.Target, Def{Kind: DefWith, Owner: item})
		}
	case *ast.TypeAlias:
		s.target(n.Name, Def{Kind: DefAssign, Owner: n, Value: n.Value})
	default:
		s.definition(n)
	}
}

// definition scans imports, functions and classes; bodies are not entered.
func (s *scanner) definition(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.Import:
		for _, a := range n.Names {
			name := a.AsName
			if name == "" {
				name, _, _ = strings.Cut(a.Name, ".")
			}
			s.define(s.place(noPlace, name), Def{Kind: DefImport, Node: a, Owner: n})
		}
	case *ast.ImportFrom:
		for _, a := range n.Names {
			name := a.AsName
			if name == "" {
				name = a.Name
			}
			if name != "*" {
				s.define(s.place(noPlace, name), Def{Kind: DefImport, Node: a, Owner: n})
			}
		}
	case *ast.FunctionDef:
		s.exprs(n.Decorators)
		s.signature(n.Params)
		s.expr(n.Returns)
		s.define(s.place(noPlace, n.Name), Def{Kind: DefFunction, Node: n, Owner: n})
	case *ast.ClassDef:
		s.exprs(n.Decorators)
		s.exprs(n.Bases)
		for _, k := range n.Keywords {
			s.expr(k.Value)
		}
		s.define(s.place(noPlace, n.Name), Def{Kind: DefClass, Node: n, Owner: n})
	}
}

func (s *scanner) signature(params *ast.Params) {
	if params == nil {
		return
	}
	for _, p := range params.List {
		s.expr(p.Annotation)
		s.expr(p.Default)
	}
}

// target scans the left side of an assignment.
func (s *scanner) target(e ast.Expr, d Def) {
	d.Node = e
	switch e := e.(type) {
	case *ast.Name:
		s.define(s.place(noPlace, e.Ident), d)
	case *ast.Attribute:
		if p := s.expr(e.X); p >= 0 {
			s.define(s.place(p, "."+e.Attr), d)
		}
	case *ast.Subscript:
		s.item(e, d)
	case *ast.Tuple:
		s.unpack(e.Elts, d)
	case *ast.List:
		s.unpack(e.Elts, d)
	case *ast.Starred:
		s.unpack([]ast.Expr{e.X}, d)
	}
}

func (s *scanner) unpack(elts []ast.Expr, d Def) {
	if d.Kind == DefAssign {
		d.Kind = DefUnpack
	}
	d.Value = nil
	for _, e := range elts {
		s.target(e, d)
	}
}

// item scans a store under a subscript.
func (s *scanner) item(e *ast.Subscript, d Def) {
	p := s.expr(e.X)
	s.expr(e.Index)
	if p < 0 {
		return
	}
	key, constant := KeyOf(e.Index)
	if constant {
		s.define(s.place(p, key), d)
	} else {
		s.events = append(s.events, event{})
	}
	if !constant || key[1] != '"' {
		s.wild = append(s.wild, wildStore{p, key, len(s.events) - 1, d})
	}
}
