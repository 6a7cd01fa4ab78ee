package cfg

import (
	"slices"

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
	uses    map[ast.NodeID][]*Def
	byNode  map[ast.NodeID]*Def
	gaveUp  bool
}

// maxBits bounds the blocks times the definitions of one graph. Functions that
// people write stay below a thousandth of it.
const maxBits = 1 << 25

// GaveUp reports that the graph is so large that reaching definitions were not
// computed: Defs then returns nil for every use.
func (r *Reach) GaveUp() bool { return r.gaveUp }

// Defs returns the definitions that reach a use: a Name, Attribute or Subscript
// in load position, or the target of an augmented assignment. A definition of
// kind DefElsewhere among them means that on some path the value comes from
// outside the graph. It returns nil for what is no place, and for places that
// the graph never defines.
func (r *Reach) Defs(use ast.Expr) []*Def { return r.uses[use.NodeID()] }

// DefAt returns the definition whose Node is n, or nil.
func (r *Reach) DefAt(n ast.Node) *Def { return r.byNode[n.NodeID()] }

// All returns all definitions of the graph, in the order in which blocks and
// their nodes make them, parameters first.
func (r *Reach) All() []*Def { return r.defs[r.first:] }

// Reaching computes the reaching definitions of a graph whose function has the
// given parameters (nil for a module).
func Reaching(g *Graph, params *ast.Params) *Reach {
	s := &scanner{ids: map[placeNode]placeID{}}
	s.params(params)
	ends := make([]int, len(g.Blocks)+1) // block i has the events from ends[i] to ends[i+1]
	ends[0] = len(s.events)
	for i, b := range g.Blocks {
		for _, n := range b.Nodes {
			s.node(n)
		}
		ends[i+1] = len(s.events)
	}
	r := &Reach{uses: map[ast.NodeID][]*Def{}, byNode: map[ast.NodeID]*Def{}}
	r.number(s)
	if r.gaveUp = len(r.defs)*len(g.Blocks) > maxBits; r.gaveUp {
		return r
	}
	step := func(b BlockID, in flow.Bits) flow.Bits {
		return r.run(s.events[ends[b]:ends[b+1]], slices.Clone(in), false)
	}
	var elsewhere flow.Bits
	for i := range r.first {
		elsewhere = elsewhere.Set(i)
	}
	init := r.run(s.events[:ends[0]], elsewhere, false)
	solved := flow.Forward(flow.BitLattice{}, g, 0, init, flow.Transfer[flow.Bits, BlockID]{Node: step})
	for i := range g.Blocks {
		r.run(s.events[ends[i]:ends[i+1]], slices.Clone(solved.In[i]), true)
	}
	return r
}

// number gives every definition its bit. Places that the graph never defines get
// none: they are most, and all that is known of them is that.
func (r *Reach) number(s *scanner) {
	r.byPlace = make([][]*Def, len(s.places))
	r.under = make([][]placeID, len(s.places))
	s.spread()
	for _, d := range s.defs {
		if r.byPlace[d.place] == nil {
			elsewhere := &Def{Place: s.name(d.place), place: d.place, index: len(r.defs)}
			r.defs = append(r.defs, elsewhere)
			r.byPlace[d.place] = []*Def{elsewhere}
			for p := s.places[d.place].parent; p >= 0; p = s.places[p].parent {
				r.under[p] = append(r.under[p], d.place)
			}
		}
	}
	r.first = len(r.defs)
	for _, d := range s.defs {
		d.Place, d.index = r.byPlace[d.place][0].Place, len(r.defs)
		r.defs = append(r.defs, d)
		r.byPlace[d.place] = append(r.byPlace[d.place], d)
		if id := d.Node.NodeID(); r.byNode[id] == nil {
			r.byNode[id] = d
		}
	}
}

// run carries a set of definitions, in place, over the events of a block, and
// notes what reaches each use if asked.
func (r *Reach) run(events []event, in flow.Bits, note bool) flow.Bits {
	for i := range events {
		e := &events[i]
		switch {
		case e.use == nil:
			for _, d := range e.defs {
				in = r.apply(d, in)
			}
		case !note:
		case e.defs != nil:
			r.uses[e.use.NodeID()] = e.defs
		default:
			var reaching []*Def
			for _, d := range r.byPlace[e.place] {
				if in.Has(d.index) {
					reaching = append(reaching, d)
				}
			}
			if reaching != nil {
				r.uses[e.use.NodeID()] = reaching
			}
		}
	}
	return in
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
