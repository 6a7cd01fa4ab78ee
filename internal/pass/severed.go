package pass

import (
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// BackwardOf points to the call of backward() of a loss.
func (p *Pass) BackwardOf(l roles.Loss) []Related {
	b := l.Backward
	if !b.Known() || b.Node == nil || p.In(b.Frame) == nil {
		return nil
	}
	return []Related{{Source: p.In(b.Frame), Node: b.Node, Message: "the gradient of the loss is computed here"}}
}
