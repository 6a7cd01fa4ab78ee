package query

import (
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Numbers as products
//
// epochs * len(loader) // accumulate is a product of what the program names, each to a power. Two such numbers are compared without
// knowing any of them: what stands in both cancels. So it can be said that one counts minibatches and the other updates. Division is
// taken as exact, and what is added or taken off is left out, as in range(1, n + 1) and total - warmup.

// Product is a number as a product; the zero Product is not known.
type Product struct {
	Known   bool
	Share   float64 // what literals in it come to, as in 0.1 * total
	Factors []NamedFactor
}

// NamedFactor is something in a product that has a name, or that a loop counts.
type NamedFactor struct {
	key    any
	Power  int
	Number float64 // by the constants and defaults of the program; NaN where it is not known
	At     Place   // a loop, or what computes the value

	setting bool // a run may choose it
}

// One is the empty product.
func One() Product { return Product{Known: true, Share: 1} }

func single(key any, number float64, at Place) Product {
	p := One()
	p.Factors = []NamedFactor{{key: key, Power: 1, Number: number, At: at}}
	return p
}

// Times is p * q.
func (p Product) Times(q Product) Product { return p.with(q, 1) }

// Over is p / q.
func (p Product) Over(q Product) Product { return p.with(q, -1) }

func (p Product) with(q Product, sign int) Product {
	if !p.Known || !q.Known || q.Share == 0 {
		return Product{}
	}
	out := Product{Known: true, Share: p.Share * math.Pow(q.Share, float64(sign)), Factors: slices.Clone(p.Factors)}
next:
	for _, f := range q.Factors {
		for i := range out.Factors {
			if out.Factors[i].key == f.key {
				if out.Factors[i].Power += sign * f.Power; out.Factors[i].Power == 0 {
					out.Factors = slices.Delete(out.Factors, i, i+1)
				}
				continue next
			}
		}
		f.Power *= sign
		out.Factors = append(out.Factors, f)
	}
	return out
}

// Number is what a product comes to; ok is false where a factor is not known.
func (p Product) Number() (n float64, ok bool) {
	n = p.Share
	for _, f := range p.Factors {
		n *= math.Pow(f.Number, float64(f.Power))
	}
	return n, p.Known && !math.IsNaN(n)
}

// Unit is a product without literals and shares of it, as half of a run is counted in what the run is.
func (p Product) Unit() Product {
	p.Share = 1
	p.Factors = slices.DeleteFunc(slices.Clone(p.Factors), func(f NamedFactor) bool { return f.Number > 0 && f.Number < 1 })
	return p
}

// Parts are the factors above the line, or those below it.
func (p Product) Parts(above bool) (out []NamedFactor) {
	for _, f := range p.Factors {
		if f.Power > 0 == above {
			out = append(out, f)
		}
	}
	return out
}

// Rests reports whether the number of a product rests on a setting, which a run may choose.
func (p Product) Rests() bool {
	return slices.ContainsFunc(p.Factors, func(f NamedFactor) bool { return f.setting })
}

// productDepth bounds the arithmetic that is taken apart.
const productDepth = 12

// ProductOf is what an expression of a frame comes to.
func (g *Graph) ProductOf(f *infer.Frame, e ast.Expr) Product {
	return g.See(f.Val(e)).operand(e, productDepth)
}

// Total is ProductOf, of which a literal alone is a name, too.
func (g *Graph) Total(f *infer.Frame, e ast.Expr) Product {
	if _, literal := e.(*ast.Number); literal {
		return g.See(f.Val(e)).named()
	}
	return g.ProductOf(f, e)
}

// operand is the product of an operand, of which a literal is no name.
func (s Seen) operand(e ast.Expr, depth int) Product {
	if u, ok := e.(*ast.UnaryOp); ok && u.Op == ast.USub && s.Known() && len(s.In) == 1 { // -(-a // b)
		return s.Input(0).operand(u.X, depth-1)
	}
	if _, literal := e.(*ast.Number); literal {
		if x, ok := s.Float(); ok {
			p := One()
			p.Share = x
			return p
		}
	}
	return s.product(depth)
}

func (s Seen) product(depth int) Product {
	if depth == 0 || !s.Known() {
		return Product{}
	}
	if callers := s.Callers(); len(callers) > 1 || len(callers) == 1 && callers[0].Val != s.Val {
		p := callers[0].product(depth - 1)
		for _, c := range callers[1:] {
			if q := c.product(depth - 1).Over(p); !q.Known || q.Share != 1 || len(q.Factors) > 0 {
				return s.named()
			}
		}
		return p
	}
	switch n := s.Node.(type) {
	case *ast.BinOp:
		if len(s.In) == 2 && s.In[0] != nil && s.In[1] != nil {
			return s.arithmetic(n, depth)
		}
	case *ast.Call:
		if p := s.called(n, depth); p.Known {
			return p
		}
	}
	if next := s.through(); next.Known() && next.Val != s.Val {
		return next.product(depth - 1)
	}
	return s.named()
}

func (s Seen) arithmetic(n *ast.BinOp, depth int) Product {
	x, y := s.Input(0).operand(n.X, depth-1), s.Input(1).operand(n.Y, depth-1)
	switch n.Op {
	case ast.Mult:
		return x.Times(y)
	case ast.Div, ast.FloorDiv:
		return x.Over(y)
	case ast.Add, ast.Sub: // (a + b - 1) // b, too
		if x.Known && len(x.Factors) > 0 {
			return x
		}
		return y
	}
	return s.named()
}

// rounding are functions of which the result is the argument, nearly, and bounds that keep a number from being zero.
var rounding = Words("int float round ceil floor max maximum")

// called is the product of what a call rounds, or of the length that it asks for.
func (s Seen) called(n *ast.Call, depth int) Product {
	name := CalleeName(n)
	switch {
	case name == "len" && len(n.Args) == 1:
		return s.Of(s.Frame.Val(n.Args[0])).Length()
	case !rounding[name]:
		return Product{}
	}
	var out Product
	for _, a := range n.Args {
		if p := s.Of(s.Frame.Val(a)).operand(a, depth-1); p.Known && (len(p.Factors) > 0 || len(n.Args) == 1) {
			if out.Known {
				return Product{}
			}
			out = p
		}
	}
	return out
}

// named is a product of one factor: a value that is not taken apart.
func (s Seen) named() Product {
	if !s.Known() { // in what nothing comes to
		return Product{}
	}
	number := math.NaN()
	if list, ok := s.Numbers(); ok && len(list) == 1 {
		number = list[0]
	}
	p := single(identity(s.Val), number, PlaceOf(s.Val))
	p.Factors[0].setting = isSetting(s.Val)
	return p
}

// lengthOf is the key of how many elements something has.
type lengthOf struct{ key any }

// identity is what two values share that are one: the place that computed them, or the object.
func identity(v *infer.Val) any {
	switch {
	case v.Node != nil:
		return v.Node
	case v.Ref != nil:
		return v.Ref
	}
	return v
}

// Length is how many elements a value has: of a loader, batches; of a chunk of indices, what was asked for.
func (s Seen) Length() Product { return s.length(productDepth) }

func (s Seen) length(depth int) Product {
	if depth == 0 || !s.Known() {
		return Product{}
	}
	if callers := s.Callers(); len(callers) == 1 && callers[0].Val != s.Val {
		return callers[0].length(depth - 1)
	}
	arg := func(i int) Seen {
		if call, ok := s.Node.(*ast.Call); ok && i < len(call.Args) {
			return s.Of(s.Frame.Val(call.Args[i]))
		}
		return Seen{g: s.g}
	}
	switch call, _ := s.Node.(*ast.Call); {
	case call == nil:
	case (CalleeName(call) == "randperm" || CalleeName(call) == "permutation") && len(call.Args) > 0 || CalleeName(call) == "arange" && len(call.Args) == 1:
		return arg(0).operand(call.Args[0], depth-1)
	}
	switch o := s.Referent().(type) {
	case *infer.LibObject:
		size, data := o.Args["batch_size"], o.Args["dataset"]
		if data == nil && len(o.Pos) > 0 {
			data = o.Pos[0]
		}
		if infer.BaseOp(o.Name) == "DataLoader" && size != nil && data != nil {
			return s.Of(data).length(depth - 1).Over(s.Of(size).product(depth - 1))
		}
		return single(lengthOf{o}, math.NaN(), PlaceOf(s.Val))
	case *infer.SeqRef:
		if o.Elems != nil {
			return single(lengthOf{identity(s.Val)}, float64(len(o.Elems)), PlaceOf(s.Val))
		}
	case *infer.Instance:
		return single(lengthOf{o}, math.NaN(), PlaceOf(s.Val))
	}
	if next := s.through(); next.Known() && next.Val != s.Val && !s.IsOp("chunk", "split", "tensor_split", "array_split") {
		return next.length(depth - 1)
	}
	return single(lengthOf{identity(s.Val)}, math.NaN(), PlaceOf(s.Val))
}
