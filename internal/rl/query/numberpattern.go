package query

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Patterns that read a number
//
// Whether a pattern takes numbers as people write them is tried: a text is made of what the pattern wants before its group, and of a number,
// and what the pattern catches there is compared with the number. Patterns that Go does not know (with a look ahead, or what comes before)
// are not tried.

// Misread is a text in which a pattern finds a number, and catches another one.
type Misread struct {
	// Before is what the pattern wants in front of the number, Number the number, Caught what it takes for it.
	Before, Number, Caught string
}

// Text is the whole text that is misread.
func (m Misread) Text() string { return m.Before + m.Number }

// Misreads tries a pattern on numbers.
func (r Regex) Misreads(numbers ...string) (out []Misread) {
	flags, ok := r.goFlags()
	if !ok {
		return nil
	}
	tree, err := syntax.Parse(flags+r.Pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	tried, err := regexp.Compile(flags + r.Pattern)
	if err != nil {
		return nil
	}
	for _, number := range numbers {
		s := sample{number: number, groups: tree.MaxCap() > 0, room: maxSample}
		s.write(tree)
		if !s.placed || s.room < 0 {
			continue
		}
		text := s.text.String()
		found := tried.FindStringSubmatchIndex(text)
		if found == nil || r.Name == "match" && found[0] != 0 || r.Name == "fullmatch" && (found[0] != 0 || found[1] != len(text)) {
			continue
		}
		if caught := caughtIn(text, s.at, found); caught != "" && !sameDigits(caught, number) {
			out = append(out, Misread{Before: text[:s.at], Number: number, Caught: caught})
		}
	}
	return out
}

// caughtIn is what a match takes for a number: the first group with a digit, or, where no group has one, all of the match behind a position. It is
// empty where several groups have digits: the parts of one number are put together elsewhere.
func caughtIn(text string, at int, found []int) (caught string) {
	for i := 2; i+1 < len(found); i += 2 {
		if found[i] < 0 || !strings.ContainsAny(text[found[i]:found[i+1]], digits) {
			continue
		}
		if caught != "" {
			return ""
		}
		caught = text[found[i]:found[i+1]]
	}
	if caught == "" && found[0] <= at && at < found[1] {
		caught = text[at:found[1]]
	}
	return strings.TrimSpace(caught)
}

const digits = "0123456789"

// sameDigits compares numbers without what stands between digits.
func sameDigits(caught, number string) bool {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '-' || strings.ContainsRune(digits, r) {
				return r
			}
			return -1
		}, s)
	}
	return bare(caught) == bare(number)
}

// goFlags are the flags of a pattern as Go writes them; ok is false for those that it does not have, and where they are not known.
func (r Regex) goFlags() (out string, ok bool) {
	if r.Flags == nil {
		return "", true
	}
	ok = true
	ast.Walk(r.Flags, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			flag, known := map[string]string{"I": "i", "IGNORECASE": "i", "S": "s", "DOTALL": "s", "M": "m", "MULTILINE": "m", "U": "", "UNICODE": ""}[n.Attr]
			out, ok = out+flag, ok && known
			return false
		case *ast.BinOp:
		default:
			ok = false
		}
		return ok
	})
	if out != "" {
		out = "(?" + out + ")"
	}
	return out, ok
}

// maxSample bounds the length of a text that is made of a pattern.
const maxSample = 400

// sample writes the shortest text that a pattern matches, with a number where it takes one.
type sample struct {
	number string
	groups bool // the number stands in a group
	text   strings.Builder
	at     int // where the number stands
	placed bool
	room   int
}

func (s *sample) put(text string) {
	if s.room -= len(text); s.room >= 0 {
		s.text.WriteString(text)
	}
}

// place writes the number.
func (s *sample) place() {
	s.at, s.placed = s.text.Len(), true
	s.put(s.number)
}

func (s *sample) write(re *syntax.Regexp) {
	if s.room < 0 {
		return
	}
	if !s.placed && takesNumber(re) && (re.Op == syntax.OpCapture || !s.groups && re.Op != syntax.OpConcat && re.Op != syntax.OpAlternate) {
		s.place()
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text) // Go keeps it in capitals
		}
		s.put(text)
	case syntax.OpCharClass:
		s.put(string(oneOf(re.Rune)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		s.put("x")
	case syntax.OpPlus, syntax.OpCapture:
		s.write(re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			s.write(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, x := range re.Sub {
			s.write(x)
		}
	case syntax.OpAlternate:
		i := max(slices.IndexFunc(re.Sub, takesNumber), 0)
		s.write(re.Sub[i])
	}
}

// takesNumber reports whether a part of a pattern takes digits that are not written in it, and no letters in their place.
func takesNumber(re *syntax.Regexp) bool { return takesDigits(re, maxGroups) }

// maxGroups bounds the groups within groups of a pattern.
const maxGroups = 40

func takesDigits(re *syntax.Regexp, depth int) bool {
	if depth == 0 {
		return false
	}
	switch re.Op {
	case syntax.OpCharClass:
		return inClass(re.Rune, '7') && !inClass(re.Rune, 'x')
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat, syntax.OpCapture, syntax.OpConcat, syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, func(x *syntax.Regexp) bool { return takesDigits(x, depth-1) })
	}
	return false
}

func inClass(ranges []rune, r rune) bool {
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] <= r && r <= ranges[i+1] {
			return true
		}
	}
	return false
}

// oneOf is a character of a class: a blank or a letter, where it has one.
func oneOf(ranges []rune) rune {
	for _, r := range " x:" {
		if inClass(ranges, r) {
			return r
		}
	}
	return ranges[0]
}

// TakesText reports whether the program takes what a search found, by its groups or elements, and does not only ask whether there is anything.
func (r Regex) TakesText() bool {
	is := func(e ast.Expr) bool {
		if e == nil {
			return false
		}
		if Made(r.Frame, e) == ast.Expr(r.Call) {
			return true
		}
		v := infer.Strip(r.Frame.Val(e))
		return v != nil && v.Frame == r.Frame && v.Node == ast.Node(r.Call)
	}
	for _, n := range r.Frame.Nodes() {
		switch n := n.(type) {
		case *ast.Call:
			at, ok := n.Fun.(*ast.Attribute)
			if ok && (at.Attr == "group" || at.Attr == "groups") && is(at.X) {
				return true
			}
		case *ast.Subscript:
			if is(n.X) {
				return true
			}
		case *ast.For:
			if is(n.Iter) {
				return true
			}
		case *ast.Comp:
			if slices.ContainsFunc(n.Clauses, func(c *ast.CompClause) bool { return is(c.Iter) }) {
				return true
			}
		}
	}
	return false
}

// WithoutCommas reports whether commas are taken out of a text before a search: in the body of the search, or in one that calls it.
func (r Regex) WithoutCommas() bool {
	found := false
	infer.Walk(r.Subject, maxPieces, func(x *infer.Val) bool {
		found = found || removesCommas(x.Node)
		return !found
	})
	for call := range In[*ast.Call](r.Frame) {
		found = found || removesCommas(call) && (call.Loc.Start < r.Call.Loc.Start || r.Call.Span().Covers(call.Span()))
	}
	work := []*infer.Frame{r.Frame}
	for i := 0; i < len(work) && i < maxSteps && !found; i++ {
		for site := range work[i].Sites {
			if site.Caller == nil || site.Node == nil {
				continue
			}
			for call := range In[*ast.Call](site.Caller) { // what it does with the answer comes too late
				found = found || removesCommas(call) && !call.Span().Covers(site.Node.Span())
			}
			if !slices.Contains(work, site.Caller) {
				work = append(work, site.Caller)
			}
		}
	}
	return found
}

// removesCommas reports whether a call replaces commas.
func removesCommas(n ast.Node) bool {
	call, ok := n.(*ast.Call)
	if !ok || len(call.Args) == 0 {
		return false
	}
	switch CalleeName(call) {
	case "replace", "sub", "subn":
		text, ok := call.Args[0].(*ast.String)
		return !ok || strings.Contains(text.Value, ",")
	case "split":
		text, ok := call.Args[0].(*ast.String)
		return ok && text.Value == ","
	case "translate":
		return true
	}
	return false
}
