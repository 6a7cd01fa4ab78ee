package library

import (
	"fmt"
	"slices"
	"strings"
)

// Scoring is how a trainer calls the functions that score what a policy wrote.
type Scoring struct {
	Name  string
	Title string // as messages name the caller
	// Trainers are the classes that take such functions, as Param or in Position.
	Trainers []string
	Param    string
	Position int
	// Functions are the names by which a file's function is found, Bases those of classes whose objects are called.
	Functions, Bases []string
	// Given are the arguments that some version passes, Always those that each version of today does; Positional of them go by position.
	Given, Always []string
	Positional    int
	// Columns says that the other columns of the data set are passed by name, but for Dropped.
	Columns bool
	Dropped []string
	// Answers is the argument that holds what the policy wrote: one text where Each, else a list.
	Answers string
	Each    bool
	// AsPrompts says that answers are lists of messages where prompts are; else they are text.
	AsPrompts bool
	// ToldBy are parameters that tell such a function; "**" is one that takes whatever keywords there are.
	ToldBy []string
	// Unmistakable are parameters with all of which a function is such a one under any name.
	Unmistakable []string
}

// scoringSource is the layout of a way to call.
type scoringSource struct {
	Title      string   `toml:"title"`
	Trainers   []string `toml:"trainers"`
	Param      string   `toml:"param"`
	Position   int      `toml:"position"`
	Functions  []string `toml:"functions"`
	Bases      []string `toml:"bases"`
	Given      []string `toml:"given"`
	Always     []string `toml:"always"`
	Positional int      `toml:"positional"`
	Columns    bool     `toml:"columns"`
	Dropped    []string `toml:"dropped"`
	Answers    string   `toml:"answers"`
	Each       bool     `toml:"each"`
	Form       string   `toml:"form"`
	ToldBy     []string `toml:"told-by"`

	Unmistakable []string `toml:"unmistakable"`
}

// scorings loads the ways to call.
func (l *loader) scorings(f fileSource) error {
	for _, name := range sorted(f.Scoring) {
		src := f.Scoring[name]
		s := &Scoring{
			Name: name, Title: src.Title, Trainers: src.Trainers, Param: src.Param, Position: src.Position, Functions: src.Functions, Bases: src.Bases,
			Given: src.Given, Always: src.Always, Positional: src.Positional, Columns: src.Columns, Dropped: src.Dropped,
			Answers: src.Answers, Each: src.Each, AsPrompts: src.Form == "as-prompts", ToldBy: src.ToldBy,
			Unmistakable: src.Unmistakable,
		}
		switch {
		case src.Form != "as-prompts" && src.Form != "text":
			return l.fail(name, fmt.Errorf("form %q, which is neither as-prompts nor text", src.Form))
		case !slices.Contains(s.Given, s.Answers):
			return l.fail(name, fmt.Errorf("answers are %q, which is not given", s.Answers))
		case len(s.Trainers) > 0 == (s.Param == ""):
			return l.fail(name, fmt.Errorf("trainers and param come together"))
		case s.Title == "":
			return l.fail(name, fmt.Errorf("the title is missing"))
		}
		for _, a := range s.Always {
			if !slices.Contains(s.Given, a) {
				return l.fail(name, fmt.Errorf("%q is always passed, but not given", a))
			}
		}
		l.t.scorings = append(l.t.scorings, s)
	}
	return nil
}

// ScoringBy returns how a trainer's class calls the functions that score; nil for other classes.
func (t *Table) ScoringBy(class string) *Scoring {
	if !strings.HasPrefix(class, "trl.") && !strings.Contains(class, "Trainer") {
		return nil // most are none
	}
	return t.scoring(func(s *Scoring) bool { return slices.Contains(s.Trainers, class) })
}

// ScoringNamed returns how a function is called that a file is named for, by its name and parameters, or nil.
// Where such functions are passed to trainers the name is free.
func (t *Table) ScoringNamed(function string, has func(param string) bool) *Scoring {
	return t.scoring(func(s *Scoring) bool {
		named := len(s.Functions)+len(s.Bases) == 0 || slices.Contains(s.Functions, function)
		return named && hasAll(has, s.ToldBy) || len(s.Unmistakable) > 0 && hasAll(has, s.Unmistakable)
	})
}

// ScoringOf returns how objects of classes with such a base are called, or nil.
func (t *Table) ScoringOf(derives func(base string) bool, has func(param string) bool) *Scoring {
	return t.scoring(func(s *Scoring) bool { return slices.ContainsFunc(s.Bases, derives) && hasAll(has, s.ToldBy) })
}

func hasAll(has func(param string) bool, params []string) bool {
	return !slices.ContainsFunc(params, func(p string) bool { return !has(p) })
}

func (t *Table) scoring(hold func(*Scoring) bool) *Scoring {
	if i := slices.IndexFunc(t.scorings, hold); i >= 0 {
		return t.scorings[i]
	}
	return nil
}
