package pass

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # The run as it is shipped
//
// How loud a mistake is depends on what it does to the run that a project ships: the one by the defaults of its options. A mistake behind
// an option that is off, or behind a name that nothing binds, is as wrong, and changes no such run.

// comesTo reports whether the run as it is shipped is seen to come to a finding.
func (p *Pass) comesTo(f *Finding) bool {
	if p.Roles == nil || f.Frame == nil { // a rule about settings
		return true
	}
	return p.seenToRun(f.Frame) && !p.isLeftOut(f) && !onEveryWay(f.Frame, maxWays, stopsIn, p.isOff)
}

// maxWays bounds the calls on a way to a frame.
const maxWays = 16

// onEveryWay reports whether each way by which the program comes to a frame is closed: in the frame itself, at a call on the way, or in
// what makes that call.
func onEveryWay(f *infer.Frame, depth int, within func(*infer.Frame) bool, at func(*infer.Guard) bool) bool {
	if within(f) {
		return true
	}
	if depth == 0 || f.Call == nil {
		return false
	}
	for site := range f.Sites {
		if !at(site.Guard) && !onEveryWay(site.Caller, depth-1, within, at) {
			return false
		}
	}
	return true
}

// isLeftOut reports whether one of the branches around the place of a finding is not taken by default.
func (p *Pass) isLeftOut(f *Finding) bool {
	return slices.ContainsFunc(query.Branches(query.Place{Frame: f.Frame, Node: f.At}), func(b query.Branch) bool {
		return p.decides(f.Frame.Val(b.If.Cond), !b.Then)
	})
}

// isOff reports whether the default of an option says that one of the conditions does not hold.
func (p *Pass) isOff(g *infer.Guard) bool {
	for ; g != nil; g = g.Parent {
		if p.decides(g.Cond, !g.Sense) {
			return true
		}
	}
	return false
}

// decides reports whether the default of an option, which nothing else gives, makes a condition true, or false.
func (p *Pass) decides(cond *infer.Val, truth bool) bool {
	option, holds, known := byDefault(cond)
	return known && holds == truth && !p.isGiven(option)
}

// byDefault is whether a condition holds by the default of an option: of the option itself, of its negation, or of its comparison with a
// text.
func byDefault(cond *infer.Val) (option *infer.Val, holds, known bool) {
	yes := true
	for cond != nil && cond.Op == "not" && len(cond.In) == 1 {
		cond, yes = cond.In[0], !yes
	}
	switch {
	case cond == nil:
	case cond.Op == infer.OpConfig:
		holds, known = infer.Truth(cond)
		return cond, holds == yes, known
	case (cond.Op == "eq" || cond.Op == "ne") && len(cond.In) == 2 && cond.In[0].Op == infer.OpConfig:
		x, texts := cond.In[0].Str()
		y, text := cond.In[1].Str()
		return cond.In[0], ((x == y) == (cond.Op == "eq")) == yes, texts && text && cond.In[1].Op != infer.OpConfig
	}
	return nil, false, false
}

// isGiven reports whether another file of the program names an option, as one does that starts it with other settings. What merely lies
// beside, as a launch script does, changes nothing.
func (p *Pass) isGiven(option *infer.Val) bool {
	option = optionOf(option)
	if option.Frame == nil || option.Frame.Module == nil || option.Node == nil {
		return true
	}
	return p.MentionedElsewhere(option.Frame.Module, SettingName(nameOfOption(option.Node)), []*infer.Module{option.Frame.Module})
}
