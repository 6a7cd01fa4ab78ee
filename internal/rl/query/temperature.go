package query

import (
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// AtTemperature reports whether scores of tokens were divided by a number, a temperature, on the way from the language
// model that yielded them, or from its head; known is false where they cannot be followed to one, or where the model was told of it.
func (s Seen) AtTemperature() (divided, known bool) {
	room := maxSteps
	return s.atTemperature(&room)
}

func (s Seen) atTemperature(room *int) (divided, known bool) {
	for *room--; *room > 0 && s.Known(); *room-- {
		if p, ok := s.PredictedBy(); ok {
			return false, !p.Tempered
		}
		switch {
		case s.IsOp(infer.OpPhi):
			return s.anyAtTemperature(room)
		case strings.HasSuffix(s.Op, ".Linear.__call__"):
			return false, true
		}
		if s.IsOp("div", "truediv", "mul") && len(s.In) > 1 && s.In[1] != nil && (isScalar(s.In[1]) || s.In[1].Is(domain.Number|domain.Coef)) {
			return true, true
		}
		next, ok := s.step(&[]cut{})
		if !ok {
			return false, false
		}
		s = next
	}
	return false, false
}

// anyAtTemperature is atTemperature of a join: one branch is enough, as which of them runs may be a setting.
func (s Seen) anyAtTemperature(room *int) (divided, known bool) {
	known = true
	for _, x := range s.In {
		if x == nil {
			continue
		}
		d, k := s.Of(x).atTemperature(room)
		if d {
			return true, true
		}
		known = known && k
	}
	return false, known
}

// Temperature is what the scores v of the next token are divided by before tokens are drawn from them; nil where nothing is seen
// to do so.
func (g *Graph) Temperature(v *infer.Val) *infer.Val {
	for range maxSteps {
		var next *infer.Val
		for _, u := range g.UsesOf(v) {
			switch {
			case u.IsOp("div", "truediv") && len(u.In) > 1 && u.In[0] == v:
				return u.In[1]
			case infer.Through(u) == v:
				next = u
			}
		}
		if next == nil {
			return nil
		}
		v = next
	}
	return nil
}
