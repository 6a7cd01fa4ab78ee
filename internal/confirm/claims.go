package confirm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// take puts what was claimed in the place of what was found: a finding each, which is the
// checker's own where that says the same. Claims that are about nothing are problems.
func (s *Script) take(ctx context.Context, list []claim.Claim) {
	found := s.Findings
	s.Findings, s.Claims = nil, map[int]claim.Claim{}
	r := &claimed{s, claim.NewReader(s.Name, s.program.Root, s.Files)}
	defer r.Close()
	for _, c := range list {
		f, probe, err := r.find(ctx, c, found)
		if err != nil {
			s.Failed = append(s.Failed, FailedClaim{ClaimJSON{c.String(), c.By}, err.Error()})
			continue
		}
		s.Claims[len(s.Findings)] = c
		s.Findings, s.probes = append(s.Findings, f), append(s.probes, probe)
	}
}

// Misplaced are the problems of the claims that could not be tested.
func (s *Script) Misplaced() (out []finding.Problem) {
	for _, c := range s.Failed {
		out = append(out, finding.Problem{Message: "claim " + c.Claim + ": " + c.Reason, Fatal: true})
	}
	return out
}

// heard are the settings of a check that also runs the rules which are claimed, whatever is
// selected: where the checker finds the same, the claim has its place, and a fix.
func heard(check vet.Request, list []claim.Claim) *config.Resolver {
	r := check.Resolver.Fresh()
	r.Override.Select = slices.Clone(r.Override.Select)
	for _, c := range list {
		if e, ok := check.Rules.Lookup(c.What); ok && e.Analyzer != nil {
			r.Override.Select = append(r.Override.Select, e.Doc.Code)
		}
	}
	on := true
	r.Override.Preview, r.Override.ShowHints, r.Override.Ignore = &on, &on, []string{}
	return r
}

// claimed makes findings of what is claimed of a script.
type claimed struct {
	script *Script
	*claim.Reader
}

// find makes a finding of a claim, with the source of the probe that tests it.
func (r *claimed) find(ctx context.Context, c claim.Claim, found []finding.Finding) (finding.Finding, string, error) {
	none := finding.Finding{}
	f, wanted, probe, err := r.meaning(c)
	if err != nil {
		return none, "", err
	}
	text, err := r.Read(ctx, c.File)
	if err != nil {
		return none, "", err
	}
	start, end, err := text.Line(c.Cell, c.Line)
	if err != nil {
		return none, "", err
	}
	if own := r.own(c, f.Code, found); own != nil {
		return *own, probe, nil
	}
	if e, ok := r.script.Rules.Lookup(f.Code); ok && e.Doc.OnlyFound {
		return none, "", fmt.Errorf("the probe of %s presumes what rlvet finds, and rlvet finds no %s there; claim a quantity instead: %s", f.Code, f.Code, strings.Join(claim.Quantities(), ", "))
	}
	column := -1
	if c.Column > 0 {
		column, _ = text.Offset(c.Cell, source.Position{Row: c.Line, Column: c.Column})
	}
	place, err := wanted.Choose(text, start, end, column)
	if err != nil {
		return none, "", err
	}
	name := r.Name(c.File)
	r.script.Files[name] = text.File
	f.Range = finding.Range{File: name, StartByte: int(place.Start), EndByte: int(place.End)}
	f.Range.Cell, f.Range.Start, f.Range.End = text.Span(f.Range.StartByte, f.Range.EndByte)
	f.NoqaRow = f.Range.End.Row
	return f, probe, nil
}

// meaning says what a claim is about: the texts of its finding, the expression, and the probe.
func (r *claimed) meaning(c claim.Claim) (finding.Finding, claim.Wanted, string, error) {
	registry := r.script.Rules
	if e, ok := registry.Lookup(c.What); ok {
		f := finding.Finding{Code: e.Doc.Code, Evidence: finding.Claimed}
		registry.Complete(&f)
		probe := rules.Probe(e.Doc.Code)
		if probe == "" || len(e.Doc.Watches) == 0 {
			return f, claim.Wanted{}, "", fmt.Errorf("%s has no probe: no run can tell whether it is true", e.Doc.Code)
		}
		return f, claim.Wanted{Forms: e.Doc.Watches}, probe, nil
	}
	if k, ok := claim.ContractOf(c.What); ok {
		f := finding.Finding{
			Code: k.Quantity, Name: contract, Severity: finding.Error, Evidence: finding.Claimed,
			Message: "the " + k.Quantity + " is not what it has to be", Why: k.Says, Source: k.Source,
		}
		return f, k.Wanted(), k.Probe, nil
	}
	meant := ""
	if near := registry.Nearest(c.What); near != "" {
		meant = "; did you mean " + near + "?"
	}
	return finding.Finding{}, claim.Wanted{}, "", fmt.Errorf("%s is no rule and no quantity%s (the quantities are %s)", c.What, meant, strings.Join(claim.Quantities(), ", "))
}

// own is the finding of the checker itself that says what is claimed, or nil.
func (r *claimed) own(c claim.Claim, code string, found []finding.Finding) *finding.Finding {
	for i, f := range found {
		if f.Code == code && r.Name(c.File) == r.Name(f.Range.File) && f.Range.Cell == c.Cell && f.Range.Start.Row == c.Line && (c.Column == 0 || c.Column == f.Range.Start.Column) {
			return &found[i]
		}
	}
	return nil
}

// ofQuantities says of refuted claims about a quantity what was refuted: not that it is this quantity, but that something is wrong with it.
func (s *Script) ofQuantities() {
	for i := range s.Claims {
		if e := &s.Outcome.Targets[i]; s.Findings[i].Name == contract && e.Verdict == harness.Refuted {
			e.Reason = "what a run tells of a " + s.Findings[i].Code + " is right; " + e.Reason
		}
	}
}

// contract is the name of the findings that claims about quantities make.
const contract = "contract"
