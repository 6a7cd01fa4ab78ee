package claim

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/source"
)

// Wanted says which expression of a line a claim is about: forms for a rule, names for a quantity.
type Wanted struct {
	Forms []string // as [Place.Form]
	Names []string // words of names, in lower case
	// Hint is the form in which a quantity without a name is written most often, "" for none, and
	// Never one in which it is not.
	Hint, Never string
	// Guarded is set for a quantity that may be 0 where something is added to it, or where it is
	// kept above a bound: then the claim is about what comes of that.
	Guarded bool
	// pointed is set where the claim names the column.
	pointed bool
}

// Whole is what a statement does as a whole: the value that it assigns, returns or evaluates.
var Whole = Wanted{}

// Choose finds the expression of a text that a claim is about. start and end are the offsets
// of the claimed line, column is the offset that the claim names, or -1. The error is one line
// that lists what stands there.
func (w Wanted) Choose(t *Text, start, end, column int) (Place, error) {
	var here []Place
	for _, p := range t.Places {
		if at := int(p.Start); at < start || at >= end || p.Form == "function" && !slices.Contains(w.Forms, "function") {
			continue
		}
		here = append(here, p)
	}
	if len(here) == 0 {
		return Place{}, nothing(t, start, end)
	}
	w.pointed = column >= 0
	if w.pointed {
		for column < end && strings.IndexByte("( \t", t.Text[column]) >= 0 {
			column++ // parentheses are no part of an expression
		}
		here = slices.DeleteFunc(here, func(p Place) bool { return int(p.Start) != column })
		if len(here) == 0 {
			return Place{}, errors.New("no expression begins at this column")
		}
	}
	switch best := w.best(here); {
	case len(best) == 1 || len(best) > 1 && w.pointed: // of what begins at one column, the widest
		return w.guard(t, best[0]), nil
	case len(best) > 1:
		return Place{}, fmt.Errorf("several are there that it could be about: %s; name the column of what you mean", listed(t.File, best))
	case w.pointed && len(w.Forms) == 0:
		return here[0], nil // a quantity has many names: who names a column means all that begins there
	}
	if slices.Contains(w.Forms, "call") && !w.pointed {
		calls := slices.DeleteFunc(slices.Clone(here), func(p Place) bool { return !strings.HasPrefix(p.Form, "call ") })
		if len(calls) > 0 {
			return Place{}, fmt.Errorf("the rule watches a call under any name, so the claim has to name the column of the one that is meant: %s", listed(t.File, calls))
		}
	}
	return Place{}, fmt.Errorf("%s does not stand there; there are %s", w, listed(t.File, here))
}

// epsilon is what a guard is told by: a name, a number far below 1, the least number of a type.
var epsilon = regexp.MustCompile(`(?i)eps|tiny|finfo|\b\d(?:\.\d*)?e-\d|\b0?\.0+[1-9]`)

// guard is what comes of a place where it is kept above 0, or the place itself. A variable has to
// be kept so wherever the file reads it; then its first use behind the place counts.
func (w Wanted) guard(t *Text, p Place) Place {
	switch {
	case !w.Guarded:
		return p
	case p.Form != "assignment":
		return guarded(t, p)
	}
	first := p
	for _, use := range t.Places {
		if use.Form == "assignment" || string(t.Text[use.Start:use.End]) != string(t.Text[p.Start:p.End]) {
			continue
		}
		kept := guarded(t, use)
		if kept == use {
			return p
		}
		if first == p && use.Start > p.End {
			first = kept
		}
	}
	return first
}

// guarded is the narrowest expression around a place that keeps it above 0, or the place itself.
func guarded(t *Text, p Place) Place {
	found := p
	for _, q := range t.Places {
		around := q.Start <= p.Start && q.End >= p.End && q.Span != p.Span
		if !around || !slices.Contains([]string{"+", "call clamp", "call clamp_min", "call maximum"}, operation(q.Form)) {
			continue
		}
		rest := string(t.Text[q.Start:p.Start]) + " " + string(t.Text[p.End:q.End])
		alone := !strings.ContainsAny(epsilon.ReplaceAllString(rest, ""), "-*/%@") // not a part of what the bound is for
		if alone && epsilon.MatchString(rest) && (found == p || q.End-q.Start < found.End-found.Start) {
			found = q
		}
	}
	return found
}

// String says what is wanted.
func (w Wanted) String() string {
	switch {
	case len(w.Forms)+len(w.Names) == 0:
		return "a statement that assigns, returns or evaluates a value"
	case len(w.Forms) == 0:
		return "what is called " + strings.Join(quoted(w.Names), " or ")
	}
	return "what the rule watches (" + strings.Join(quoted(w.Forms), ", ") + ")"
}

func quoted(list []string) (out []string) {
	for _, s := range list {
		out = append(out, "`"+s+"`")
	}
	return out
}

// best are the places that fit best; those of one name are one.
func (w Wanted) best(here []Place) (best []Place) {
	score := 0
	for _, p := range here {
		switch s := w.fit(p); {
		case s == 0 || s < score:
		case s > score:
			best, score = []Place{p}, s
		case !slices.ContainsFunc(best, func(q Place) bool { return same(p, q) }):
			best = append(best, p)
		}
	}
	if whole := slices.IndexFunc(best, func(p Place) bool { return p.Whole }); whole >= 0 {
		return best[whole : whole+1] // rather than a part of it
	}
	return best
}

// same reports whether two places have one value: a name that is read twice, or a range that
// stands for two things.
func same(p, q Place) bool {
	return p.Span == q.Span || p.Form == q.Form && p.Form == "name" && p.Name == q.Name
}

// fit says how well a place fits, 0 for not at all. A probe proves nothing about another
// expression than its rule's, so that nothing but the same operation fits; a call of the program's
// own functions may have any name, and has to be pointed at.
func (w Wanted) fit(p Place) int {
	if len(w.Forms) == 0 {
		return w.fitNames(p)
	}
	score := 0
	for _, f := range w.Forms {
		switch {
		case f == p.Form:
			score = max(score, 3)
		case operation(f) == operation(p.Form):
			score = max(score, 2)
		case f == "call" && w.pointed && strings.HasPrefix(p.Form, "call "):
			score = max(score, 1)
		}
	}
	return score
}

// fitNames is fit for a quantity: by a name, or else what the whole statement yields.
func (w Wanted) fitNames(p Place) int {
	if isCalled(p.Name, w.Names) || isCalled(p.Argument, w.Names) {
		switch {
		case p.Argument != "" && isCalled(p.Argument, w.Names):
			return 6
		case p.Form == "assignment":
			return 5
		case p.Form == "name" || p.Form == "attribute" || p.Form == "subscript" || p.Form == "parameter":
			return 4
		case strings.HasPrefix(p.Form, "call"):
			return 3
		}
	}
	switch {
	case p.Whole && p.Form != w.Never:
		return 2
	case p.Form == w.Hint:
		return 1
	}
	return 0
}

// operations are the forms in which one operation is written.
var operations = map[string]string{
	"/=": "/", "call div": "/", "call div_": "/", "call true_divide": "/",
	"-=": "-", "call sub": "-", "call sub_": "-", "call subtract": "-",
	"+=": "+", "call add": "+", "call add_": "+",
	"*=": "*", "call mul": "*", "call mul_": "*", "call multiply": "*",
	"call neg": "unary -", "call min": "call minimum", "call max": "call maximum",
	"call clip": "call clamp", "call clamp_": "call clamp", "call clip_": "call clamp",
}

func operation(form string) string {
	if op := operations[form]; op != "" {
		return op
	}
	return form
}

// mostListed is how many expressions an error lists, and mostShown how many characters of each.
const mostListed, mostShown = 8, 40

// listed lists places with their columns.
func listed(file *source.File, list []Place) string {
	var out []string
	list = slices.CompactFunc(slices.Clone(list), func(p, q Place) bool { return p.Start == q.Start }) // of one column the widest is meant
	for i, p := range list {
		if i == mostListed {
			out = append(out, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		_, at, _ := file.Span(int(p.Start), int(p.End))
		out = append(out, fmt.Sprintf("`%s` (column %d)", short(file.Text[p.Start:p.End]), at.Column))
	}
	return strings.Join(out, ", ")
}

func short(text []byte) string {
	runes := []rune(strings.Join(strings.Fields(string(text)), " "))
	if len(runes) > mostShown {
		return string(runes[:mostShown-1]) + "…"
	}
	return string(runes)
}

// nothing says why no expression begins on a line.
func nothing(t *Text, start, end int) error {
	line := strings.TrimSpace(string(t.Text[start:end]))
	switch {
	case line == "":
		return errors.New("the line is blank")
	case strings.HasPrefix(line, "#"):
		return errors.New("the line is a comment")
	}
	for _, p := range slices.Backward(t.Places) {
		if int(p.Start) < start && int(p.End) > start {
			_, at, _ := t.Span(int(p.Start), int(p.End))
			return fmt.Errorf("no expression begins there; the line belongs to `%s` of line %d", short(t.Text[p.Start:p.End]), at.Row)
		}
	}
	return errors.New("there is no expression that a run could watch")
}
