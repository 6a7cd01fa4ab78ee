// Package frozennetworkrecorded is rule GRAD022, frozen-network-recorded; rule.md says what it finds.
package frozennetworkrecorded

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets of a loss whose gradients flow through a network that nothing trains.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	told := map[ast.Node]bool{} // one finding a loss: its target may be made by several networks
	for _, r := range p.Roles.Recorded() {
		if call := r.Loss.Backward.Node; !told[call] && !isReference(p, r.Network) && p.In(r.At.Frame) != nil {
			told[call] = true
			f := pass.At(r.At, r.At)
			f.Evidence = domain.Derived
			f.Related = append(p.Here(r.Network.Val, "no optimizer holds the network that is made here"), p.Here(r.Loss.Backward.Val, "the gradient of this loss goes through it")...)
			p.Report(f)
		}
	}
}

// isReference reports whether a network is a reference that sees what the policy is trained on: KL008 tells of those.
func isReference(p *pass.Pass, n *roles.Network) bool {
	return n.CopyOf != nil && slices.ContainsFunc(p.Roles.References(), func(r *roles.Reference) bool { return r.Network == n && p.Roles.SharesInput(r) })
}
