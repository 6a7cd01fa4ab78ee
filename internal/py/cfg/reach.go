package cfg

import (
	"math"
	"sync"

	"github.com/rlvet/rlvet/internal/flow"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// # Reaching definitions of places
//
// A definition gives a place a value; it reaches a use of the same place if some
// path from it to the use gives the place no other value. The fact before a
// block is the set of definitions that reach it, a bit each, and sets are united
// where paths meet: a may-analysis.
//
// Places nest: self.net.bias lies under self.net and self. Three rules say how
// an assignment acts on places other than its own.
//
//   - Setting self.net puts another object there, so nothing is known of the
//     places under it any more: their definitions die, and each gets its
//     "elsewhere" definition, which stands for a value that comes from outside
//     the graph: from the caller, or with the new object.
//   - Setting batch[k] may set any batch["..."], and batch[-1] may set batch[0]:
//     it joins their definitions without ending them.
//   - A call ends nothing. It might change attributes of its arguments; but rules
//     that must be believed would then know nothing of self after the first call,
//     and to miss a mistake is better than to invent one.
//
// Aliases (b = a; b.x = 1) are not followed.

// DefKind says what construct defines a place.
type DefKind uint8

// The kinds of definitions.
const (
	DefElsewhere DefKind = iota // outside the graph
	DefParam                    // *ast.Param
	DefAssign                   // place = value
	DefUnpack                   // (place, other) = value
	DefAugment                  // place += value
	DefFor                      // for place in iter, also of a comprehension
	DefWith                     // with context as place
	DefExcept                   // except E as place
	DefImport                   // import
	DefFunction                 // def
	DefClass                    // class
	DefWalrus                   // place := value
	DefMatch                    // case place
	DefDelete                   // del place
)

var defNames = [...]string{
	"elsewhere", "param", "assign", "unpack", "augment", "for", "with", "except",
	"import", "def", "class", "walrus", "match", "del",
}

// String returns the kind in words.
func (k DefKind) String() string { return defNames[k] }

// Def is one definition of a place.
type Def struct {
	Place Place
	Kind  DefKind
	// Node is the target expression, Param, Alias, Handler, FunctionDef, ClassDef
	// or pattern that carries the place; nil for DefElsewhere.
	Node ast.Node
	// Owner is the statement, WithItem, CompClause or NamedExpr that defines.
	Owner ast.Node
	// Value is the expression whose value the place gets exactly, else nil.
	Value ast.Expr
	// Weak is set where the definition may not happen, so that earlier ones still
	// count: a store under an unknown key, a walrus in a branch of an expression.
	Weak bool

	place placeID
	index int
}

// Reach holds the reaching definitions of one graph.
type Reach struct {
	defs    []*Def // by bit; an elsewhere definition for each defined place comes first
	first   int    // the first of defs that is a definition of the graph
	byPlace [][]*Def
	under   [][]placeID // defined places below a place
	uses    []span      // by NodeID less base: where in found the definitions of a use are
	base    ast.NodeID
	found   []*Def
	byNode  func() map[ast.NodeID]*Def
	gaveUp  bool
}

// maxBits bounds the blocks times the definitions of one graph. Functions that
// people write stay below a thousandth of it.
const maxBits = 1 << 25

// maxDefs bounds the definitions of one graph: stores under computed keys make
// one for each place that they may mean.
const maxDefs = 1 << 16

// GaveUp reports that the graph is so large that reaching definitions were not
// computed: Defs then returns nil for every use.
func (r *Reach) GaveUp() bool { return r.gaveUp }

// span is a piece of a slice.
type span struct{ from, to int32 }

// Defs returns the definitions that reach a use: a Name, Attribute or Subscript
// in load position, or the target of an augmented assignment. A definition of
// kind DefElsewhere among them means that on some path the value comes from
// outside the graph. It returns nil for what is no place, and for places that
// the graph never defines.
func (r *Reach) Defs(use ast.Expr) []*Def {
	id := use.NodeID()
	if id < r.base || int(id-r.base) >= len(r.uses) {
		return nil
	}
	at := r.uses[id-r.base]
	if at.from == at.to {
		return nil
	}
	return r.found[at.from:at.to:at.to]
}

// DefAt returns the definition whose Node is n, or nil.
func (r *Reach) DefAt(n ast.Node) *Def { return r.byNode()[n.NodeID()] }

// All returns all definitions of the graph, in the order in which blocks and
// their nodes make them, parameters first.
func (r *Reach) All() []*Def { return r.defs[r.first:] }

// Reaching computes the reaching definitions of a graph whose function has the
// given parameters (nil for a module).
func Reaching(g *Graph, params *ast.Params) *Reach {
	s := scanners.Get().(*scanner)
	defer s.release()
	s.params(params)
	ends := make([]int, len(g.Blocks)+1) // block i has the events from ends[i] to ends[i+1]
	ends[0] = len(s.events)
	for i, b := range g.Blocks {
		for _, n := range b.Nodes {
			s.node(n)
		}
		ends[i+1] = len(s.events)
	}
	r := &Reach{}
	r.byNode = sync.OnceValue(r.definitionsByNode)
	r.number(s)
	if r.gaveUp = len(r.defs)*len(g.Blocks) > maxBits || len(s.defs) > maxDefs; r.gaveUp {
		return r
	}
	r.solve(g, s.events, ends)
	return r
}

// solve computes what reaches each block, and from that what reaches each use.
func (r *Reach) solve(g *Graph, events []event, ends []int) {
	r.room(events)
	step := func(b BlockID, in flow.Bits) flow.Bits {
		return r.run(events[ends[b]:ends[b+1]], in, false)
	}
	var elsewhere flow.Bits
	for i := range r.first {
		elsewhere = elsewhere.Set(i)
	}
	init := r.run(events[:ends[0]], elsewhere, false)
	solved := flow.Forward(flow.BitLattice{}, g, 0, init, flow.Transfer[flow.Bits, BlockID]{Node: step})
	for i := range g.Blocks {
		r.run(events[ends[i]:ends[i+1]], solved.In[i], true)
	}
}

// room makes the table of uses, which spans the nodes that are uses.
func (r *Reach) room(events []event) {
	low, high := ast.NodeID(math.MaxUint32), ast.NodeID(0)
	for i := range events {
		if use := events[i].use; use != nil && (events[i].place >= 0 || events[i].defs != nil) {
			low, high = min(low, use.NodeID()), max(high, use.NodeID())
		}
	}
	if low <= high {
		r.base, r.uses = low, make([]span, high-low+1)
	}
}

// number gives every definition its bit, and renumbers the places: those that the
// graph never defines get no number. They are most, and all that is known of
// them is that.
func (r *Reach) number(s *scanner) {
	s.spread()
	slots := make([]placeID, len(s.places))
	for i := range slots {
		slots[i] = noPlace
	}
	for _, d := range s.defs {
		if slots[d.place] == noPlace {
			slots[d.place] = placeID(len(r.defs))
			r.defs = append(r.defs, s.keep(Def{Place: s.name(d.place), index: len(r.defs)}))
		}
	}
	r.first = len(r.defs)
	r.group(s, slots)
	for i := range s.events {
		if e := &s.events[i]; e.use != nil && e.defs == nil {
			e.place = slots[e.place]
		}
	}
}

// group lists the definitions of each place and the defined places under it.
func (r *Reach) group(s *scanner, slots []placeID) {
	r.under = make([][]placeID, r.first)
	for p, slot := range slots {
		if slot < 0 {
			continue
		}
		for up := s.places[p].parent; up >= 0; up = s.places[up].parent {
			if slots[up] >= 0 {
				r.under[slots[up]] = append(r.under[slots[up]], slot)
			}
		}
	}
	r.byPlace = make([][]*Def, r.first)
	for i, elsewhere := range r.defs {
		elsewhere.place = placeID(i)
		r.byPlace[i] = append(make([]*Def, 0, 2), elsewhere)
	}
	for _, d := range s.defs {
		d.place = slots[d.place]
		d.Place, d.index = r.defs[d.place].Place, len(r.defs)
		r.defs = append(r.defs, d)
		r.byPlace[d.place] = append(r.byPlace[d.place], d)
	}
}

// definitionsByNode indexes the definitions by the nodes that carry them.
func (r *Reach) definitionsByNode() map[ast.NodeID]*Def {
	byNode := map[ast.NodeID]*Def{}
	for _, d := range r.All() {
		if id := d.Node.NodeID(); byNode[id] == nil {
			byNode[id] = d
		}
	}
	return byNode
}

// run carries a set of definitions over the events of a block, and notes what
// reaches each use if asked. The given set is not changed.
func (r *Reach) run(events []event, in flow.Bits, note bool) flow.Bits {
	own := false
	for i := range events {
		switch e := &events[i]; {
		case e.use != nil:
			if note && (e.place >= 0 || e.defs != nil) {
				r.note(e, in)
			}
		case len(e.defs) > 0:
			if !own {
				in, own = append(make(flow.Bits, 0, (len(r.defs)+63)/64), in...), true
			}
			for _, d := range e.defs {
				in = r.apply(d, in)
			}
		}
	}
	return in
}

// note records which definitions of a set reach a use.
func (r *Reach) note(e *event, in flow.Bits) {
	from := len(r.found)
	if e.defs != nil {
		r.found = append(r.found, e.defs...)
	} else {
		for _, d := range r.byPlace[e.place] {
			if in.Has(d.index) {
				r.found = append(r.found, d)
			}
		}
	}
	r.uses[e.use.NodeID()-r.base] = span{int32(from), int32(len(r.found))}
}

// apply changes a set in place by one definition.
func (r *Reach) apply(d *Def, in flow.Bits) flow.Bits {
	if !d.Weak {
		for _, other := range r.byPlace[d.place] {
			in.Clear(other.index)
		}
		for _, p := range r.under[d.place] {
			for _, other := range r.byPlace[p] {
				in.Clear(other.index)
			}
			in = in.Set(r.byPlace[p][0].index)
		}
	}
	return in.Set(d.index)
}
