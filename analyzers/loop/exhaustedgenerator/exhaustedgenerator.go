// Package exhaustedgenerator is rule LOOP027, exhausted-generator; rule.md says what it finds.
package exhaustedgenerator

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports generators of parameters that are gone through a second time.
var Analyzer = pass.Rule(Doc, run)

// use is a call or loop that goes through a generator to its end.
type use struct {
	of *infer.Val
	at ast.Expr
}

func run(p *pass.Pass) {
	uses := map[query.Place]use{}
	var places []query.Place
	note := func(f *infer.Frame, e ast.Expr) {
		if e != nil && query.IsPlace(e) && isGenerator(f.Val(e)) && p.Trains(f) {
			at := query.Place{Frame: f, Node: e}
			uses[at] = use{f.Val(e), e}
			places = append(places, at, query.PlaceOf(f.Val(e)))
		}
	}
	for f, loop := range query.Everywhere[*ast.For](p.Graph) {
		if _, isItem := loop.Iter.(*ast.Subscript); !isItem { // each item may be a generator of its own
			note(f, loop.Iter)
		}
	}
	for f, call := range query.Everywhere[*ast.Call](p.Graph) {
		note(f, consumed(f, call))
	}
	if len(places) == 0 {
		return
	}
	for order := range p.Roles.Orders(places) {
		for _, e := range order.Events {
			if u, ok := uses[e.Place]; ok {
				check(p, uses, e, u)
			}
		}
	}
}

// check reports a use before which another, or itself in the round before, has taken all there was.
func check(p *pass.Pass, uses map[query.Place]use, e *roles.Event, u use) {
	made := query.PlaceOf(u.of)
	isUse := func(x *roles.Event) bool { return uses[x.Place].of == u.of }
	before := e.Before(func(x *roles.Event) bool { return isUse(x) || x.Place == made })
	again := false
	for _, x := range before {
		if !x.Known() {
			return
		}
		again = again || x.Place == e.Place
	}
	if !again && !roles.Every(before, isUse) {
		return
	}
	f := pass.Finding{At: u.at, Frame: e.Frame, Evidence: domain.Derived, Severity: severity(p, u.of), Related: p.There(made, "the generator is made here")}
	for _, x := range before {
		if isUse(x) && x.Place != e.Place {
			f.Related = append(f.Related, p.There(x.Place, "and all its parameters are taken here")...)
			break
		}
	}
	p.Report(f)
}

// severity is a note for the parameters of a network that no optimizer steps: whatever is left out, its weights stay as they are.
func severity(p *pass.Pass, params *infer.Val) finding.Severity {
	if !params.IsOp("parameters", "named_parameters") {
		return ""
	}
	if n := p.Roles.Network(params.In[0]); n == nil || p.Roles.Learns(n) || len(p.Roles.Optimizers) == 0 {
		return ""
	}
	return finding.Note
}

// Builtins and functions of torch that go through an iterable to its end.
var takers = query.Words(`list tuple sum sorted set max min clip_grad_norm_ clip_grad_value_ clip_grad_norm parameters_to_vector`)

// consumed is the argument that a call goes through to its end: the parameters of an optimizer, or of a clip.
func consumed(f *infer.Frame, call *ast.Call) ast.Expr {
	if !f.Val(call).Is(domain.Optimizer) && !takers[query.CalleeName(call)] {
		return nil
	}
	if len(call.Args) > 0 {
		return call.Args[0]
	}
	for _, k := range call.Keywords {
		if k.Name == "params" || k.Name == "parameters" {
			return k.Value
		}
	}
	return nil
}

// isGenerator reports whether a value is what torch and Python yield one by one, and once.
func isGenerator(v *infer.Val) bool {
	if !query.PlaceOf(v).Known() {
		return false
	}
	if v.IsOp("parameters", "named_parameters") {
		return len(v.In) > 0 && v.In[0].Is(domain.Module) && !isOwn(v)
	}
	if seq, ok := v.Ref.(*infer.SeqRef); ok && seq.Once {
		return true
	}
	switch n := v.Node.(type) {
	case *ast.Comp:
		return n.Kind == ast.GeneratorExp
	case *ast.Call:
		return iterators[query.CalledSymbol(v.Frame, n)] && v.Frame.Val(n) == v // what comes out of it, as by unpacking, is of its own kind
	}
	return false
}

// iterators are the functions whose results are gone through once.
var iterators = map[string]bool{
	"builtins.filter": true, "builtins.map": true, "builtins.zip": true, "builtins.iter": true, "builtins.reversed": true,
	"itertools.chain": true, "itertools.chain.from_iterable": true, "itertools.islice": true,
}

// isOwn reports whether the program defines the method itself, which then may return a list.
func isOwn(v *infer.Val) bool {
	o, ok := v.In[0].Ref.(*infer.Instance)
	return ok && o.Class.Lookup(v.Op) != nil
}
