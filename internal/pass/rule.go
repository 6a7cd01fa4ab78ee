package pass

import (
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
	"github.com/rlvet/rlvet/internal/rule"
)

// steps are what every rule requires.
var steps = []*analysis.Analyzer{Syntax, Values, Graph, Roles, Contracts}

// Rule makes an analyzer of a rule's page and the function that finds the
// mistake. The analyzer is named by the rule's code. It panics where the page
// has no code: that is a mistake in the program, which every test meets.
func Rule(doc []byte, run func(*Pass)) *analysis.Analyzer {
	head := readHead(string(doc))
	page := sync.OnceValue(func() *rule.Doc {
		d, err := rule.Parse("rule.md of "+head.Code, doc)
		if err != nil {
			panic(err)
		}
		return d
	})
	return &analysis.Analyzer{
		Name:     head.Code,
		Doc:      head.Name + ": " + head.summary,
		URL:      (&rule.Doc{Meta: head.Meta}).URL(),
		Requires: steps,
		Run: func(ap *analysis.Pass) (any, error) {
			p := newPass(ap)
			p.doc, p.missing, p.family = page, head.OfMissing, head.Family
			run(p)
			p.flush()
			return nil, nil
		},
	}
}

// newPass collects the results of the steps.
func newPass(p *analysis.Pass) *Pass {
	return &Pass{
		Pass:   p,
		Source: p.ResultOf[Syntax].(*Source),
		Graph:  p.ResultOf[Graph].(*query.Graph),
		Roles:  p.ResultOf[Roles].(*roles.Model),
	}
}

// head is what an analyzer must say of itself before it runs.
type head struct {
	rule.Meta
	summary string
}

// readHead reads code, name, family, what the rule says and the first paragraph. It is run for every
// rule at every start of the program, so it does not parse the page.
func readHead(doc string) head {
	var h head
	front, body, _ := strings.Cut(strings.TrimPrefix(doc, "---\n"), "\n---\n")
	for line := range strings.Lines(front) {
		key, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); key {
		case "code":
			h.Code = value
		case "name":
			h.Name = value
		case "family":
			h.Family = value
		case "says":
			h.OfMissing = value == "missing"
		}
	}
	if h.Code == "" || h.Name == "" {
		panic("a rule.md without code and name in its front matter")
	}
	_, text, _ := strings.Cut(body, "## "+rule.WhatItFinds+"\n")
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n\n")
	h.summary = strings.Join(strings.Fields(text), " ")
	return h
}
