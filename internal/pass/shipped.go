package pass

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
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
	return p.seenToRun(f.Frame) && !p.isOff(guardOf(f)) && !onEveryWay(f.Frame, maxWays, p.stopsIn, p.isOff)
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

// guardOf are the conditions under which the place of a finding is evaluated.
func guardOf(f *Finding) *infer.Guard {
	if e, ok := f.At.(ast.Expr); ok {
		if v := f.Frame.Val(e); v != nil && v.Node == f.At {
			return v.Guard
		}
	}
	for _, v := range f.Values {
		if v != nil && v.Frame == f.Frame && v.Node != nil && f.At.Span().Covers(v.Node.Span()) {
			return v.Guard
		}
	}
	return nil
}

// isOff reports whether the default of an option says that one of the conditions does not hold.
func (p *Pass) isOff(g *infer.Guard) bool {
	for ; g != nil; g = g.Parent {
		if option, holds, known := byDefault(g.Cond); known && holds != g.Sense && !p.isGiven(option) {
			return true
		}
	}
	return false
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
