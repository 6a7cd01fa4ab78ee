// Package actionsofotherbounds is rule ENV069, actions-of-other-bounds; rule.md says what it finds.
package actionsofotherbounds

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports actions that a network squashes into another range than that of the environment that gets them.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	steps, _ := p.Roles.EnvCalls()
	for _, c := range steps {
		if len(c.Node.Args) == 0 || p.In(c.Frame) == nil {
			continue
		}
		id, low, high, made, ok := p.Bounds(query.Receiver(c.Frame, c.Node))
		if !ok {
			continue
		}
		given := c.Frame.Val(c.Node.Args[0])
		to, ok := p.See(given).Reach()
		if !ok {
			continue
		}
		message := mistaken(to, low, high)
		if message == "" {
			continue
		}
		p.Report(pass.Finding{
			At: c.Node.Args[0], Frame: c.Frame, Evidence: domain.Derived, Message: message,
			Related: append(p.There(made, fmt.Sprintf("the actions of %s go from %g to %g", id, low, high)),
				p.Here(to.At.Val, fmt.Sprintf("the policy is squashed here; it goes from %g to %g", to.Low, to.High))...),
		})
	}
}

// mistaken says what is wrong with a range of actions, or nothing: twice the bounds, or nothing below 0. A policy that
// stays far within the bounds is weak, but may do for the task.
func mistaken(to query.Reach, low, high float64) string {
	switch {
	case to.Low == 0 && low < 0:
		return "no action is ever negative, in a space that is symmetric"
	case to.High >= 2*high:
		return fmt.Sprintf("the policy acts up to %g, where the space ends at %g", to.High, high)
	}
	return ""
}
