// Package onlineloadstarget is rule VAL061, online-loads-target; rule.md says what it finds.
package onlineloadstarget

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports networks in training that are given the weights of their target, which is never given theirs.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	transfers := p.Roles.Transfers()
	if len(transfers) == 0 || len(p.Made("vector_to_parameters")) > 0 { // by this one, weights go where no transfer tells
		return
	}
	for _, b := range p.Roles.Bootstraps() {
		forwards := false
		var back []roles.Transfer
		for _, t := range transfers {
			to, from := p.Roles.Network(t.To.Val), p.Roles.Network(t.From.Val)
			again := p.Roles.Repeats(t.At)
			switch {
			case to == nil || from == nil, to == b.Target && again:
				forwards = true
			case to == b.Online && from == b.Target && again:
				back = append(back, t)
			}
		}
		if forwards {
			continue
		}
		for _, t := range back {
			p.Report(pass.Finding{
				At: t.At.Node, Frame: t.At.Frame, Evidence: domain.Derived,
				Related: p.There(query.PlaceOf(b.At), "this network is the target of the one that is overwritten"),
			})
		}
	}
}
