// Package rule reads rule.md, the one file in which a rule is described, and
// holds the table of all rules.
//
// A rule.md opens with front matter (code, name, family, severity, status,
// evidence, fix, watches, about, claims, since, headline, why, help, refs, yields, and judged, which is
// written HARMFUL/IDLE/WRONG) and has seven fixed sections. Its fenced blocks are
// the rule's tests: the linter is run on exactly the code that the user reads.
// The command line, the editor, SARIF and the documentation all show this file,
// so nothing about a rule is said in a second place.
//
// Input is the text of a rule.md; outputs are Doc, the parsed form, and
// Registry, which finds rules by code, name, prefix or family.
// Limits: of Markdown only headings, fences, lists, emphasis and code spans
// are understood; everything else is passed through as text.
package rule

import (
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
)

// Status says whether a rule is on by default.
type Status string

// The statuses: a preview rule runs only when preview is enabled.
const (
	Preview Status = "preview"
	Stable  Status = "stable"
)

// FixLevel is the strongest fix that a rule may offer.
type FixLevel string

// The levels, weakest first.
const (
	FixNone   FixLevel = "none"
	FixUnsafe FixLevel = "unsafe"
	FixSafe   FixLevel = "safe"
)

// Meta is the front matter of a rule.md.
type Meta struct {
	Code     string           // ADV009: prefix of the family and three digits
	Name     string           // std-without-eps: the mistake, in words
	Family   string           // advantage: one of Families
	Severity finding.Severity // how sure a finding is
	Status   Status
	Evidence finding.Evidence // the weakest evidence on which the rule reports
	Fix      FixLevel
	// Watches are the forms of the expressions that the rule flags and its probe watches, as
	// claim.Places writes them: "/", "call exp", "name".
	Watches []string
	// About are the kinds of quantities of which what the rule flags is one, as the tables of libraries name them; none where it may be any.
	// A run proves nothing of a claim about an expression that is known to be something else.
	About []string
	// OnlyFound is set, by "claims: found", where the probe presumes of the expression what only the
	// checker can tell: a claim of the rule is then tested only where the checker finds it, too.
	OnlyFound bool
	// OfMissing is set, by "says: missing", where a finding says that something is not there. Nothing is reported then in a file that holds
	// source which the parser did not understand: it may be what is missing.
	OfMissing bool
	Since     string // the first version that has the rule
	// Headline, Why and Help are what a finding says where the analyzer does not say it
	// more exactly: the mistake, what it does to training, and what to write.
	Headline, Why, Help string
	Refs                []string // public discussions and papers where the mistake is described
	Judged              Judgement
	Yields              []Yield // rules that speak instead where both find something
}

// Judgement counts the rule's findings in public code that a person has read.
type Judgement struct {
	Harmful int // true, and training suffers
	Idle    int // true, and of no consequence there
	Wrong   int
}

// Read is how many were read.
func (j Judgement) Read() int { return j.Harmful + j.Idle + j.Wrong }

// Right is how many were true.
func (j Judgement) Right() int { return j.Harmful + j.Idle }

// Doc is one rule.md.
type Doc struct {
	Meta
	Path     string // as given to Parse or Open, for messages
	sections func() []Section
}

// Sections are the titled parts of the page, in the fixed order.
func (d *Doc) Sections() []Section { return d.sections() }

// The section titles, in the order in which every rule.md has them.
const (
	Symptom       = "Symptom"
	WhatItFinds   = "What it finds"
	WhyItMatters  = "Why it matters"
	Bad           = "Bad"
	Good          = "Good"
	NotFlagged    = "Not flagged"
	KnownGaps     = "Known gaps"
	HowConfirmed  = "How it is confirmed"
	sectionPrefix = "## "
)

var sectionOrder = []string{Symptom, WhatItFinds, WhyItMatters, Bad, Good, NotFlagged, KnownGaps, HowConfirmed}

// Section is one titled part of a rule.md.
type Section struct {
	Title    string
	Line     int // of its heading, 1-based
	Parts    []Part
	Examples []Example
}

// Part is a run of prose lines or one fenced block; exactly one of the two is
// set.
type Part struct {
	Prose []string
	Fence *Fence
}

// Fence is a fenced block.
type Fence struct {
	Lang  string            // python, output, verdict, or anything else
	Attrs map[string]string // of the info string: title
	Text  string            // without the fence lines
	Line  int               // of the opening fence, 1-based
	// Start and End are the byte offsets of Text in the rule.md.
	Start, End int
}

// Section returns the section with this title. A page has all of them.
func (d *Doc) Section(title string) *Section {
	sections := d.Sections()
	for i := range sections {
		if sections[i].Title == title {
			return &sections[i]
		}
	}
	return nil
}

// Examples returns the examples of the titled sections, of all when none is
// named.
func (d *Doc) Examples(titles ...string) []Example {
	var out []Example
	for _, s := range d.Sections() {
		if len(titles) == 0 || contains(titles, s.Title) {
			out = append(out, s.Examples...)
		}
	}
	return out
}

// Summary returns the first sentence of "What it finds", on one line.
func (d *Doc) Summary() string {
	s := d.Section(WhatItFinds)
	if s == nil {
		return ""
	}
	for _, p := range s.Parts {
		if text := strings.TrimSpace(strings.Join(p.Prose, " ")); text != "" {
			return firstSentence(text)
		}
	}
	return ""
}

// firstSentence ends at a full stop, a question or exclamation mark that is
// followed by a space and a capital letter, so that "e.g. x" does not end it.
func firstSentence(text string) string {
	for i := 0; i+2 < len(text); i++ {
		if strings.IndexByte(".?!", text[i]) >= 0 && text[i+1] == ' ' && !('a' <= text[i+2] && text[i+2] <= 'z') {
			return text[:i+1]
		}
	}
	return text
}

// Site is where docs/ is published; site_url of packaging/site/mkdocs.yml says the same.
const Site = "https://rlvet.github.io/rlvet/"

// URL returns the public address of the rule's page: the one that is generated from
// rule.md, without the marks of its tests.
func (d *Doc) URL() string { return Site + "rules/" + d.Code + "/" }

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
