package roles

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Generators
//
// What a loop or a with does with a generator runs where the generator yields: the body of
// "with update():" between what update does before its yield and what it does behind it, the
// body of "for batch in batches():" at each yield, once a round. Of a generator that runs in
// any other way (handed on, wrapped in enumerate, made in one place and used in another) it is
// not known when it runs, and an order that it would be part of is left out.

// left is how the bodies that stand at the yields of a generator were left.
type left struct{ through, breaks, continues, returns *Event }

// driven is a with or a loop over a call that is answered by one generator: its body runs at the
// yields; false for any other call.
func (b *orderBuilder) driven(f *infer.Frame, call ast.Expr, body, orElse piece, loops bool) (piece, bool) {
	callees := b.calls[query.Place{Frame: f, Node: call}]
	if !generates(callees) {
		return nil, false
	}
	var gone left
	atYield := func(x *orderRun, in *Event) *Event {
		outer := *x
		x.breaks, x.continues, x.returns = nil, nil, nil
		out := run(body, x, in)
		gone.through = join(gone.through, out)
		gone.breaks, gone.continues, gone.returns = join(gone.breaks, x.breaks), join(gone.continues, x.continues), join(gone.returns, x.returns)
		if out = join(out, x.continues); !loops { // the end of a with is run whatever leaves it
			out = join(out, x.breaks, x.returns)
		}
		x.breaks, x.continues, x.returns = outer.breaks, outer.continues, outer.returns
		return out
	}
	inner := b.resumed(callees, atYield)
	return sequence(b.children(f, call), func(x *orderRun, in *Event) *Event {
		gone = left{}
		end := run(inner, x, in)
		if loops {
			x.returns = join(x.returns, gone.returns)
			return join(run(orElse, x, end), gone.breaks)
		}
		exit := func(jumped, others *Event) *Event {
			if jumped == nil {
				return others
			}
			return join(others, end)
		}
		x.breaks, x.continues, x.returns = exit(gone.breaks, x.breaks), exit(gone.continues, x.continues), exit(gone.returns, x.returns)
		if gone.through == nil {
			return nil
		}
		return end
	}), true
}

// resumed is what the evaluations of a generator run, with something at each yield.
func (b *orderBuilder) resumed(callees []*infer.Frame, atYield piece) piece {
	var bodies []piece
	for _, g := range callees {
		b.atYield[g] = atYield
		bodies = append(bodies, b.body(g))
		delete(b.atYield, g)
	}
	return choice(bodies...)
}

// yield gives way to what stands at the yields of a generator, yield from to that at those of another one.
func (b *orderBuilder) yield(f *infer.Frame, n *ast.Yield) piece {
	at := b.atYield[f]
	if !n.From {
		return sequence(b.expr(f, n.X), at)
	}
	callees := b.calls[query.Place{Frame: f, Node: n.X}]
	if at != nil && generates(callees) {
		return sequence(b.children(f, n.X), b.resumed(callees, at))
	}
	return sequence(b.expr(f, n.X), loop(nil, at, nil, false, false))
}

// generates reports whether a call is answered by one generator.
func generates(callees []*infer.Frame) bool {
	for _, g := range callees {
		if !g.Generates() || !query.SameBody(g, callees[0]) {
			return false
		}
	}
	return len(callees) > 0
}
