package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// endWords are further words by which programs unpack and store the ends of episodes.
var endWords = Words(`done dones notdone notdones undone undones terminal terminals nonterminal nonterminals nonterm notterminal
	terminate terminates isterminal isdone donemask terminations episodeend episodeends notends nd`)

// nameIs reports whether a variable, key or field is named after a quantity of kind k.
func nameIs(name string, k domain.Kind) bool {
	name = strings.ToLower(strings.Trim(name, "_"))
	if k&ends != 0 {
		if endWords[strings.ReplaceAll(name, "_", "")] {
			return true
		}
		for _, word := range strings.Split(name, "_") {
			if endWords[word] && len(word) > 2 {
				return true
			}
		}
	}
	q, ok := library.Load().Name(name)
	if ok && q.Is(k) {
		return true
	}
	for _, word := range strings.Split(name, "_") {
		if k&(domain.QValue|domain.StateValue) != 0 && valueWords[word] && !boundNames[name] {
			return true
		}
		if q, ok := library.Load().Name(word); ok && q.Is(k) && k&domain.Mask == 0 {
			return true
		}
	}
	return false
}

// discountWords are the names of the setting that discounts what comes next.
var discountWords = Words(`gamma discount discountfactor discountrate gam df reward_decay rewarddecay`)

// isDiscountName reports whether a number of which nothing is known is a setting by the name of the discount. A
// field of a batch may be a discount of its own for each transition.
func (s Seen) isDiscountName() bool {
	if s.Q.Kind.Known() || s.Ref != nil {
		return false
	}
	name := s.paramName()
	if field, ok := strings.CutPrefix(s.Op, infer.OpAttr+"."); ok && s.Node == nil {
		name = field
	}
	switch n := s.Node.(type) {
	case *ast.Attribute:
		if x, ok := n.X.(*ast.Name); ok && x.Ident != "self" && !HoldsSettings(x.Ident) {
			return false
		}
		name = n.Attr
	case *ast.Name:
		name = n.Ident
	}
	return discountWords[strings.ReplaceAll(strings.ToLower(strings.Trim(name, "_")), "_", "")]
}

// valueWords are words by which programs call critics and what they yield.
var valueWords = Words(`q qs v vs q1 q2 qf qf1 qf2 vf qvalue qvalues value values critic critics critic1 critic2 cri dqn qnet qnetwork vnet valuenet`)

// boundNames are limits of values, and of velocities, and no values.
var boundNames = Words(`v_max v_min v_lim v_limit v_range`)

// isCriticCall reports whether s is what a call yields of which nothing is known but that a critic is called, by its name, or a
// network of any kind.
func (s Seen) isCriticCall() bool {
	call, ok := s.Node.(*ast.Call)
	if !ok || len(call.Args) == 0 || !s.isUnknownCall() || s.Q.Kind.Known() {
		return false
	}
	name := CalleeName(call)
	if at, ok := call.Fun.(*ast.Attribute); ok && (name == "forward" || name == "predict") {
		switch x := at.X.(type) {
		case *ast.Attribute:
			name = x.Attr
		case *ast.Name:
			name = x.Ident
		}
	}
	return nameIs(name, domain.QValue|domain.StateValue) || s.g.handsOutParameters(Path(call.Fun))
}

// handsOutParameters reports whether the program asks what it calls for its parameters, elsewhere: it is a network, whatever its
// class is.
func (g *Graph) handsOutParameters(path string) bool {
	g.networks.once.Do(func() {
		g.networks.paths = map[string]bool{}
		for _, call := range Everywhere[*ast.Call](g) {
			switch at, ok := call.Fun.(*ast.Attribute); {
			case !ok:
			case at.Attr == "parameters", at.Attr == "state_dict", at.Attr == "load_state_dict":
				g.networks.paths[Path(at.X)] = true
			}
		}
	})
	return path != "" && g.networks.paths[path]
}

// paramName is the name of a parameter of which only that is known, or "".
func (s Seen) paramName() string {
	f := s.paramFrame()
	if f == nil || f.Func == nil || f.Func.Def == nil || f.Func.Def.Params == nil {
		return ""
	}
	list := f.Func.Def.Params.List
	if i := paramOf(f, s.Val); i >= 0 && i < len(list) {
		return list[i].Name
	}
	return ""
}

// paramFrame is the evaluation of which s is a parameter, or nil.
func (s Seen) paramFrame() *infer.Frame {
	switch {
	case !s.Known() || s.Op != infer.OpParam:
		return nil
	case s.Frame != nil:
		return s.Frame
	}
	return s.in.frame
}

// NamesResidual reports whether a name says that gradients are meant to flow through a target: the residual gradient
// of Baird (1995). It is a hint that the program gives to people.
func NamesResidual(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "residual_grad") || strings.Contains(name, "residualgrad") || strings.Contains(name, "full_grad") || strings.Contains(name, "bellman_residual")
}

// IsEnd reports whether s is the flag of a kind of end: Terminated or Truncated. Where nothing is known of a part of a batch it goes
// by the name under which it is read.
func (s Seen) IsEnd(k domain.Kind) bool {
	x := s.Strip()
	switch {
	case !x.Known():
		return false
	case x.Is(k) || s.Is(k):
		return true
	case x.Q.Kind.Known():
		return false
	}
	name, ok := x.keyName()
	if !ok {
		return false
	}
	for _, word := range strings.Split(strings.ToLower(name), "_") {
		if q, ok := library.Load().Name(word); ok && q.Is(k) {
			return true
		}
	}
	return false
}

// SaysEnd reports whether s is 1 where an episode ends: it is such a flag or, where nothing is known of it, is taken or handed on under the name of one.
func (s Seen) SaysEnd() bool {
	x := s.Strip()
	if !x.Known() || x.Q.Kind.Known() {
		return x.Known() && x.Is(domain.Done|domain.Terminated)
	}
	name, ok := x.keyName()
	flat := strings.ReplaceAll(strings.ToLower(name), "_", "")
	return ok && nameIs(name, domain.Done|domain.Terminated) && flat != "nd" &&
		!slices.ContainsFunc([]string{"not", "non", "undone", "mask", "inv"}, func(w string) bool { return strings.Contains(flat, w) })
}
