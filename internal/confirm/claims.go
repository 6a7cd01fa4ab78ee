package confirm

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
	"github.com/rlvet/rlvet/rules"
)

// claimed puts what was claimed in the place of what was found: a finding each, which is the
// checker's own where that says the same. Claims that are about nothing are problems.
func (s *Script) claimed(ctx context.Context, list []claim.Claim) {
	found := s.Findings
	s.Findings, s.Claims = nil, map[int]claim.Claim{}
	r := &reader{script: s, files: map[string]*readFile{}, parser: parse.New()}
	defer r.parser.Close()
	for _, c := range list {
		f, probe, err := r.find(ctx, c, found)
		if err != nil {
			s.Misplaced = append(s.Misplaced, finding.Problem{Message: fmt.Sprintf("claim %s: %v", c, err), Fatal: true})
			continue
		}
		s.Claims[len(s.Findings)] = c
		s.Findings, s.probes = append(s.Findings, f), append(s.probes, probe)
	}
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

// reader reads the files that claims name, each once.
type reader struct {
	script *Script
	files  map[string]*readFile
	parser *parse.Parser
}

type readFile struct {
	*source.File
	tree *ast.Module
	err  error
}

// find makes a finding of a claim, with the source of the probe that tests it.
func (r *reader) find(ctx context.Context, c claim.Claim, found []finding.Finding) (finding.Finding, string, error) {
	none := finding.Finding{}
	f, wanted, probe, err := r.meaning(c)
	if err != nil {
		return none, "", err
	}
	file, err := r.read(ctx, c.File)
	if err != nil {
		return none, "", err
	}
	start, ok := file.Offset(c.Cell, source.Position{Row: c.Line, Column: 1})
	switch lines := linesOf(file.File); {
	case !ok && c.Cell == 0:
		return none, "", errors.New("it is a notebook: write WHAT@FILE:cell N:LINE")
	case !ok:
		return none, "", fmt.Errorf("there is no cell %d", c.Cell)
	case c.Cell == 0 && c.Line > lines:
		return none, "", fmt.Errorf("the file has %s", words.Count(lines, "line"))
	}
	if own := r.own(c, f.Code, found); own != nil {
		return *own, probe, nil
	}
	if e, ok := r.script.Rules.Lookup(f.Code); ok && e.Doc.OnlyFound {
		return none, "", fmt.Errorf("the probe of %s presumes what rlvet finds, and rlvet finds no %s there; claim a quantity instead: %s", f.Code, f.Code, strings.Join(claim.Quantities(), ", "))
	}
	column := -1
	if c.Column > 0 {
		column, _ = file.Offset(c.Cell, source.Position{Row: c.Line, Column: c.Column})
	}
	place, err := wanted.Choose(file.File, file.tree, start, file.Lines().End(file.Lines().Row(start)), column)
	if err != nil {
		return none, "", err
	}
	f.Range = finding.Range{File: r.name(c.File), StartByte: int(place.Start), EndByte: int(place.End)}
	f.Range.Cell, f.Range.Start, f.Range.End = file.Span(f.Range.StartByte, f.Range.EndByte)
	f.NoqaRow = f.Range.End.Row
	return f, probe, nil
}

// linesOf counts the lines of a file as people do: none begins behind the last line end.
func linesOf(file *source.File) int {
	return strings.Count(strings.TrimSuffix(string(file.Text), "\n"), "\n") + 1
}

// meaning says what a claim is about: the texts of its finding, the expression, and the probe.
func (r *reader) meaning(c claim.Claim) (finding.Finding, claim.Wanted, string, error) {
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
			Code: k.Quantity, Name: "contract", Severity: finding.Error, Evidence: finding.Claimed,
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
func (r *reader) own(c claim.Claim, code string, found []finding.Finding) *finding.Finding {
	for i, f := range found {
		if f.Code == code && r.name(c.File) == r.name(f.Range.File) && f.Range.Cell == c.Cell && f.Range.Start.Row == c.Line && (c.Column == 0 || c.Column == f.Range.Start.Column) {
			return &found[i]
		}
	}
	return nil
}

// name is the path under which the check knows a file, or else the one given.
func (r *reader) name(path string) string {
	abs, err := paths.Real(path)
	if err != nil {
		return path
	}
	for known := range r.script.Files {
		if other, err := paths.Real(known); err == nil && other == abs {
			return known
		}
	}
	return path
}

// read reads and parses a file of the script's project.
func (r *reader) read(ctx context.Context, path string) (*readFile, error) {
	name := r.name(path)
	if f := r.files[name]; f != nil {
		return f, f.err
	}
	f := &readFile{}
	r.files[name] = f
	f.err = r.open(ctx, f, name)
	return f, f.err
}

func (r *reader) open(ctx context.Context, f *readFile, name string) (err error) {
	abs, err := paths.Real(name)
	if err != nil {
		for known := range r.script.Files {
			if filepath.Base(known) == filepath.Base(name) {
				return fmt.Errorf("there is no such file; did you mean %s?", known)
			}
		}
		return errors.New("there is no such file")
	}
	if rel, err := filepath.Rel(r.script.program.Root, abs); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("it is not in the project of %s, which is %s", r.script.Name, r.script.program.Root)
	}
	if source.LanguageOf(name).Configures() {
		return errors.New("it is no Python: a run watches expressions of Python")
	}
	if f.File = r.script.Files[name]; f.File == nil {
		if f.File, err = source.Read(name); err != nil {
			return err
		}
		r.script.Files[name] = f.File
	}
	f.tree, err = r.parser.Parse(ctx, name, f.Text)
	return err
}
