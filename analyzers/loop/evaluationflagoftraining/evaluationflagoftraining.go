// Package evaluationflagoftraining is rule LOOP081, evaluation-flag-of-training; rule.md says what it finds.
package evaluationflagoftraining

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports evaluations that call the policy, or a normaliser, as training does, though it has another way.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	trials := p.Roles.Trials()
	seen := map[ast.Node]bool{}
	for _, t := range trials {
		if !p.Trains(t.Step.Frame) || seen[t.Step.Node] {
			continue
		}
		_, learning := p.Roles.InTraining(t)
		for _, f := range p.Roles.Flags(t) {
			if f.Effect == roles.LearnsThen && !learning {
				continue // nothing is learnt of it any more
			}
			if slices.ContainsFunc(trials, func(o *roles.Trial) bool { return p.Roles.Avoids(o, f) }) {
				continue
			}
			seen[t.Step.Node] = true
			p.Report(finding(p, t, f))
			break
		}
	}
}

func finding(p *pass.Pass, t *roles.Trial, f roles.Flagged) pass.Finding {
	in := f.Choice
	for in.Up.Up != nil {
		in = in.Up
	}
	said := "the call leaves `" + f.Param.Name + "` at its default"
	if f.Said != nil {
		said = "of what the call says for `" + f.Param.Name + "`"
	}
	out := pass.Finding{
		At: in.Call, Frame: t.Step.Frame, Evidence: domain.Derived,
		Related: p.There(query.Place{Frame: f.Choice.Frame, Node: f.At}, "this is done because "+said),
		Help:    fmt.Sprintf("call it with `%s` the other way round where the policy is measured", f.Param.Name),
	}
	if f.Effect == roles.LearnsThen {
		out.Message = "evaluation updates the statistics of training"
		out.Why = "what the evaluation meets moves the numbers by which training scales its inputs"
	}
	return out
}
