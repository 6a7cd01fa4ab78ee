package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// maxBeside bounds the way back from a reward to what it was read out of, and maxAhead the values made of a flag.
const (
	maxBeside = 48
	maxAhead  = 600
)

// FlagsBeside are the flags that the program keeps beside a reward: elements of the same batch or record, arguments of
// the same function or of the same call of a buffer.
func (g *Graph) FlagsBeside(reward Seen) []*infer.Val {
	var out []*infer.Val
	add := func(v *infer.Val) {
		if v != nil && reward.at(v).IsFlag() && !asksForText(v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	seen := map[*infer.Val]bool{}
	for list := []Seen{reward}; len(list) > 0 && len(seen) < maxBeside; list = list[1:] {
		x := list[0]
		if !x.Known() || seen[x.Val] {
			continue
		}
		seen[x.Val] = true
		g.beside(x, add)
		if !x.calledOpaque() {
			list = append(list, x.Flows()...)
		}
	}
	return out
}

// asksForText reports whether a value says which text another one is: a choice of the settings, the same for all steps.
func asksForText(v *infer.Val) bool {
	return v.IsOp("eq", "ne") && slices.ContainsFunc(v.In, func(in *infer.Val) bool {
		_, ok := in.Str()
		return ok
	})
}

// calledOpaque reports whether s is what an unknown call yields.
func (s Seen) calledOpaque() bool { return s.Op == infer.OpCall && s.g.Values.SiteOf(s.Val) == nil }

// beside calls add for what stands beside x.
func (g *Graph) beside(x Seen, add func(*infer.Val)) {
	switch {
	case x.paramFrame() != nil:
		for _, p := range x.paramFrame().Params {
			add(p)
		}
	case len(x.In) > 0 && x.In[0] != nil && (x.Op == infer.OpItem || strings.HasPrefix(x.Op, infer.OpAttr+".")):
		for _, u := range g.UsesOf(x.In[0]) {
			add(u)
		}
		eachElement(x.In[0], add)
	}
	for _, u := range g.UsesOf(x.Val) {
		switch {
		case u.Ref != nil:
			eachElement(u, add)
		case u.Op == infer.OpCall || strings.HasPrefix(u.Op, infer.OpCall+"."):
			for _, a := range u.In {
				add(a)
			}
		}
	}
}

// eachElement calls add for the elements of a container or the fields of a record.
func eachElement(v *infer.Val, add func(*infer.Val)) {
	switch r := v.Ref.(type) {
	case *infer.SeqRef:
		for _, e := range r.Elems {
			add(e)
		}
	case *infer.DictRef:
		for _, e := range r.Fields {
			add(e)
		}
	case *infer.Instance:
		for _, e := range r.Attrs {
			add(e)
		}
	}
}

// Meets reports whether one of the flags goes into what becomes of a sum before it is compared with anything: a mask
// that is applied later, or a choice.
func (g *Graph) Meets(sum *infer.Val, flags []*infer.Val) bool {
	of := g.ahead(flags, maxAhead, func(u *infer.Val) bool { return !isLearned(g.See(u)) && !IsContainer(u) })
	if of == nil || of[sum] {
		return true
	}
	later := g.ahead([]*infer.Val{sum}, maxAhead, func(u *infer.Val) bool {
		return infer.Through(u) != nil || u.IsOp("where", "masked_fill", infer.OpStore, "mul", "clamp", "clip", infer.OpPhi, infer.OpItem, infer.OpCall, "stack", "cat", infer.OpNarrow)
	})
	if later == nil {
		return true
	}
	for v := range later {
		if of[v] {
			return true
		}
		for _, in := range v.In {
			if in != nil && v.IsOp("where", "masked_fill", "mul") && in != sum && g.See(in).IsFlag() {
				return true
			}
		}
		if overwritesRows(v) {
			return true
		}
		if by := chosenBy(v); by != nil && by != sum && by.Const == nil {
			return true
		}
	}
	return false
}

// overwritesRows reports whether v is an array of which some rows were stored anew, chosen by a mask that may be a flag: y[ended] = r[ended].
func overwritesRows(v *infer.Val) bool {
	if v.Op != infer.OpStore || len(v.In) < 3 || v.In[2] == nil {
		return false
	}
	by := v.In[2]
	return by.Const == nil && by.Ref == nil && !by.Is(domain.Count|domain.Number|domain.Action) && !by.IsOp("slice", "arange", "range", infer.OpIterate)
}

// chosenBy is what decides where a choice takes an element from; nil for anything else.
func chosenBy(v *infer.Val) *infer.Val {
	switch {
	case v.IsOp("where") && len(v.In) > 2:
		return v.In[0]
	case v.IsOp("masked_fill") && len(v.In) > 1:
		return v.In[1]
	}
	return nil
}

// ahead is what was made of some values, through uses for which through holds; nil where that is too much.
func (g *Graph) ahead(from []*infer.Val, most int, through func(*infer.Val) bool) map[*infer.Val]bool {
	out := map[*infer.Val]bool{}
	work := slices.Clone(from)
	for _, v := range work {
		out[v] = true
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range g.UsesOf(v) {
			if out[u] || !through(u) {
				continue
			}
			if len(out) > most {
				return nil
			}
			out[u] = true
			work = append(work, u)
		}
	}
	return out
}

// at looks at a value from where s is seen, also at a parameter that belongs to no evaluation.
func (s Seen) at(v *infer.Val) Seen {
	if v.Frame == nil {
		return s.Of(v)
	}
	return s.g.See(v)
}
