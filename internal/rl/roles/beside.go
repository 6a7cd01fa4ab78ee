package roles

import "github.com/rlvet/rlvet/internal/rl/query"

// IsLossBeside reports whether a plain mean is a term of the loss of which the mean under a mask is another:
// backward is called on what is made of it, or the two are added up.
func (m *Model) IsLossBeside(u query.UnmaskedMean) bool {
	fate := m.FateOf(u.At.Val)
	if fate.Differentiated {
		return true
	}
	if !fate.Matters() {
		return false
	}
	other := m.FateOf(u.Masked.At.Val)
	for v := range fate.Vals {
		if other.Vals[v] && v.IsOp("add", "sub") {
			return true
		}
	}
	return false
}
