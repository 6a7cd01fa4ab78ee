package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/rlvet/rlvet/internal/rule"
)

// update writes judged.tsv anew and, into the page of each rule, how many of its findings
// were read and what they were.
func (s *summary) update(root string) error {
	if len(s.missing) > 0 {
		return fmt.Errorf("%d repositories were left out, so nothing is written: -clone gets them", len(s.missing))
	}
	if err := os.WriteFile(filepath.Join(root, judgedFile), judgedText(s.judged), 0o644); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(root, "analyzers", "*", "*", "rule.md"))
	if err != nil {
		return err
	}
	byRule, _ := s.tallies()
	for _, page := range pages {
		if err := updatePage(page, byRule); err != nil {
			return err
		}
	}
	return nil
}

func updatePage(page string, byRule map[string]*tally) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	doc, err := rule.Parse(page, text)
	if err != nil {
		return err
	}
	var j rule.Judgement
	if t := byRule[doc.Code]; t != nil {
		j = t.Judgement
	}
	if after := withJudged(text, j); !bytes.Equal(after, text) {
		return os.WriteFile(page, after, 0o644)
	}
	return nil
}

var (
	judgedLine = regexp.MustCompile(`(?m)^judged: .*\n`)
	sinceLine  = regexp.MustCompile(`(?m)^since: .*\n`)
)

// withJudged is a page with this line in its front matter, or without one where nothing was
// read.
func withJudged(page []byte, j rule.Judgement) []byte {
	if at := judgedLine.FindIndex(page); at != nil {
		page = append(bytes.Clone(page[:at[0]]), page[at[1]:]...)
	}
	at := sinceLine.FindIndex(page)
	if j.Read() == 0 || at == nil {
		return page
	}
	line := fmt.Sprintf("judged: %d/%d/%d\n", j.Harmful, j.Idle, j.Wrong)
	return append(append(bytes.Clone(page[:at[1]]), line...), page[at[1]:]...)
}
