package coverage

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Reach bounds the walk back from a loss, in values.
const Reach = 4000

// Loss is how much was understood of what a loss is computed from.
type Loss struct {
	Of    int // expressions that hold tensors, or may hold them
	Known int // those of known kind
	Seen  int // values that were looked at to tell
	// Why is the most frequent reason why the others are of unknown kind; "" where there are none.
	Why string
}

// Deaf reports whether less than a third was understood: that nothing was found says little.
func (l Loss) Deaf() bool { return 3*l.Known < l.Of }

// OfLoss follows a loss back to the parameters, the data and whatever is not resolved.
func OfLoss(loss *infer.Val) Loss {
	var l Loss
	t := &tensors{is: map[*infer.Val]bool{}}
	var unknown []*infer.Val
	infer.Walk(loss, Reach, func(v *infer.Val) bool {
		l.Seen++
		if v.Node == nil || v.Frame == nil || !mayBe(v) && !knownTensor(v) {
			return true
		}
		l.Of++
		t.is[v] = true
		if v.Q.Kind != domain.UnknownKind {
			l.Known++
		} else {
			unknown = append(unknown, v)
		}
		return true
	})
	roots, count, most := kindOrigins(t), map[string]int{}, 0
	for _, v := range unknown { // nearest to the loss first: of equal ones the nearest counts
		why := reason(roots.root(v))
		if count[why]++; count[why] > most {
			most, l.Why = count[why], why
		}
	}
	return l
}
