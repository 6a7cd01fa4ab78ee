package report

import (
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// nothing is said where there was no file to check: that nothing was found is no all-clear.
const nothing = "Nothing was checked."

// summarise writes the closing lines of the text formats: how much was found,
// how much of it can be fixed and how.
func summarise(p *printer, style *palette, r *vet.Result) {
	if style.Quiet {
		return
	}
	switch n := len(r.Findings); {
	case n > 0:
		p.printf("%s\n", found(r))
	case r.Fixed > 0:
		p.printf("Found %s (%d fixed, 0 remaining).\n", words.Count(r.Fixed, "finding"), r.Fixed)
	case fatal(r.Problems) && r.Checked == 0: // the errors say it
	case fatal(r.Problems) || r.Unread > 0:
		p.printf("No findings in the files that could be checked.\n")
	case r.Checked == 0:
		p.printf("%s\n", nothing)
	default:
		p.printf("%s\n", style.added.Sprint("All checks passed!"))
		unheard(p, r)
		if r.Held > 0 && len(r.More) == 0 {
			p.printf("%s.\n", words.Choose(r.Held, "The rule in preview finds nothing either", fmt.Sprintf("The %d rules in preview find nothing either", r.Held)))
		}
	}
	more(p, r)
	if line := fixable(r); line != "" {
		p.printf("[%s] %s\n", style.help.Sprint("*"), line)
	}
	if r.Hidden > 0 {
		p.printf("%s not shown: %s on names alone (--show-hints shows them).\n", words.Count(r.Hidden, "hint"), words.Choose(r.Hidden, "it rests", "they rest"))
	}
	if r.Baselined > 0 {
		p.printf("%s in the baseline (--baseline '' shows %s).\n", words.Count(r.Baselined, "known finding"), words.Choose(r.Baselined, "it", "them"))
	}
	if r.Gone > 0 {
		p.printf("%d baseline %s; `rlvet baseline prune` removes %s.\n", r.Gone, words.Choose(r.Gone, "entry no longer occurs", "entries no longer occur"), words.Choose(r.Gone, "it", "them"))
	}
	if r.Old > 0 {
		p.printf("%s on old lines not shown.\n", words.Count(r.Old, "finding"))
	}
}

// more says how many findings rules in preview would add here, and how they are turned on.
func more(p *printer, r *vet.Result) {
	if len(r.More) == 0 {
		return
	}
	what := words.Count(len(r.More), "finding")
	if len(r.Findings) > 0 {
		what = fmt.Sprintf("%d more", len(r.More))
	}
	how := "--preview"
	if r.Explicit {
		how = words.Choose(len(r.More), "its rule", "their rules") + " selected by code"
		if !r.Preview {
			how = "--preview and " + how
		}
	}
	p.printf("%s with %s.\n", what, how)
}

// mostUnheard bounds the losses that are named.
const mostUnheard = 3

// unheard says where no finding means little: rlvet understood less than a third of a loss.
func unheard(p *printer, r *vet.Result) {
	for i, u := range r.Unheard {
		if i == mostUnheard {
			p.printf("note: the same of %s more.\n", words.CountOf(len(r.Unheard)-i, "loss", "losses"))
			break
		}
		p.printf("note: %s: %s; most of all: %s.\n", place(u.Range), u.Message, u.Why)
	}
	if len(r.Unheard) > 0 {
		p.printf("For %s, no finding does not mean no bug; `rlvet debug coverage PATH` shows what is missing.\n", words.Choose(len(r.Unheard), "this loss", "these losses"))
	}
}

// found is "Found 2 errors and 1 warning."
func found(r *vet.Result) string {
	count := map[finding.Severity]int{}
	for _, f := range r.Findings {
		count[f.Severity]++
	}
	var parts []string
	for _, s := range []finding.Severity{finding.Error, finding.Warning, finding.Note} {
		if count[s] > 0 {
			parts = append(parts, words.Count(count[s], string(s)))
		}
	}
	text := strings.Join(parts, ", ")
	if i := strings.LastIndex(text, ", "); i >= 0 {
		text = text[:i] + " and " + text[i+2:]
	}
	if r.Fixed > 0 {
		return fmt.Sprintf("Found %s (%d fixed, %d remaining): %s.", words.Count(len(r.Findings)+r.Fixed, "finding"), r.Fixed, len(r.Findings), text)
	}
	return "Found " + text + "."
}

// fixable says how many findings --fix would fix, and how many more
// --unsafe-fixes would.
func fixable(r *vet.Result) string {
	now, unsafe := 0, 0
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case applicable(r, f):
			now++
		case f.Fix != nil && f.Fix.Applicability == finding.Unsafe:
			unsafe++
		}
	}
	switch {
	case now > 0 && unsafe > 0:
		return fmt.Sprintf("%d fixable with --fix (%d more with --unsafe-fixes).", now, unsafe)
	case now > 0:
		return fmt.Sprintf("%d fixable with --fix.", now)
	case unsafe > 0:
		return fmt.Sprintf("%d fixable with --fix --unsafe-fixes.", unsafe)
	}
	return ""
}

func fatal(problems []finding.Problem) bool {
	for _, p := range problems {
		if p.Fatal {
			return true
		}
	}
	return false
}

// oneLine makes a text fit on one line of a terminal.
func oneLine(s string) string { return printable(strings.Join(strings.Fields(s), " ")) }
