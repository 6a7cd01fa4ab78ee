package infer

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # What alone can give a loss its gradient
//
// A model of which only the object is known may yield a tuple, and each part of it may be anything:
// values, hidden states, a mask. But backward() raises on a loss that nothing gives a gradient to.
// So a part that, where the program takes the branches that add nothing else, is all that could, is attached.

// maxSole bounds the values of a loss that are looked at, maxWalk how deep they lie.
const (
	maxSole = 5000
	maxWalk = 400
)

// sole are the parts of what models yield that alone can give a gradient to a loss that
// backward() is called on, and takes their models for trained.
func (m *models) sole(call *Val, by, parts map[*Val][]source) []output {
	if len(parts) == 0 || len(call.In) == 0 || call.In[0] == nil || call.NoGrad {
		return nil
	}
	var out []output
	for _, loss := range call.In[:min(len(call.In), 2)] {
		room := maxSole
		w := soleWalk{m: m, by: by, parts: parts, seen: map[*Val]givers{}, room: &room}
		if found := w.of(loss, maxWalk); found.one != nil && !found.more && parts[found.one] != nil {
			m.takeForTrained(parts[found.one])
			out = append(out, output{found.one, parts[found.one]})
		}
	}
	return out
}

// givers are what can give a value its gradient: nothing, one value, or more than that can be told.
type givers struct {
	one  *Val
	more bool
}

func (g givers) with(o givers) givers {
	switch {
	case g.more || o.more || g.one != nil && o.one != nil && g.one != o.one:
		return givers{more: true}
	case g.one == nil:
		return o
	}
	return g
}

// or is what gives a gradient to one of two values, on the branch that has the fewest.
func (g givers) or(o givers) givers {
	switch {
	case g == (givers{}) || o.more:
		return g
	case o == (givers{}) || g.more:
		return o
	}
	return g.with(o)
}

type soleWalk struct {
	m         *models
	by, parts map[*Val][]source
	seen      map[*Val]givers
	room      *int // values that may still be looked at

	// Within an evaluation that answers another call than the one it was made for: what this one
	// hands over in the place of what that one did.
	args   map[*Val]*Val
	caller *soleWalk
}

func (w *soleWalk) of(v *Val, depth int) givers {
	if v == nil || v.NoGrad || v.Q.Grad == domain.Detached {
		return givers{}
	}
	if g, ok := w.seen[v]; ok {
		return g
	}
	if depth == 0 || *w.room == 0 || v.Q.Grad == domain.Attached {
		return givers{more: true}
	}
	if a := w.args[v]; a != nil {
		return w.caller.of(a, depth-1)
	}
	*w.room--
	w.seen[v] = givers{} // a loop adds nothing new
	var g givers
	switch {
	case w.by[v] != nil || w.parts[v] != nil:
		g.one = v
	case v.returnsFirst():
		g = w.into(v).of(v.In[0], depth-1)
	case v.Op == OpPhi:
		for i, x := range v.In {
			if part := w.of(x, depth-1); i == 0 {
				g = part
			} else {
				g = g.or(part)
			}
		}
	default:
		for x := range v.Sources {
			g = g.with(w.of(x, depth-1))
		}
	}
	w.seen[v] = g
	return g
}

// into is the walk of the evaluation that answers a call: w itself, unless the call hands over other
// things than the one that the evaluation was made for.
func (w *soleWalk) into(call *Val) *soleWalk {
	site := w.m.in.res.sites[call]
	if site == nil {
		return w
	}
	args := map[*Val]*Val{}
	for i, p := range site.Callee.Params {
		if i < len(site.Args) && p != nil && site.Args[i] != nil && p != site.Args[i] {
			args[p] = site.Args[i]
		}
	}
	if len(args) == 0 {
		return w
	}
	return &soleWalk{m: w.m, by: w.by, parts: w.parts, seen: map[*Val]givers{}, room: w.room, args: args, caller: w}
}
