package frameworks

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/runconf"
)

// A condition is one line of a check:
//
//	KEY given            it is written in the file
//	KEY left             it is not, so that its default holds
//	KEY in WORD WORD     it is one of these; = and != for one
//	KEY unless WORD      it is not known to be one of these
//	KEY contains WORD    its text has one of these in it, whatever the case
//	KEY = null           also true, false and 'WORD'
//	TERM < TERM          also <=, >, >=, =, !=
//
// A term is a key, a number, #KEY for the length of a list, or several of them joined by * / %,
// from left to right.
type condition struct {
	op    string
	left  term
	right term
	words []string
}

// term is a product.
type term struct {
	keys []string // "" where factors has a number
	nums []float64
	ops  []string
}

var word = regexp.MustCompile(`^#?[A-Za-z_](?:[\w.\-]|\[\])*$`)

func parseCondition(text string) (condition, error) {
	parts := strings.Fields(text)
	at := -1
	for i, p := range parts {
		switch p {
		case "given", "left", "in", "not-in", "unless", "contains", "=", "!=", "<", "<=", ">", ">=":
			if at < 0 {
				at = i
			}
		}
	}
	if at < 1 {
		return condition{}, fmt.Errorf("no comparison")
	}
	c := condition{op: parts[at]}
	var err error
	if c.left, err = parseTerm(parts[:at]); err != nil {
		return c, err
	}
	rest := parts[at+1:]
	switch {
	case c.op == "given" || c.op == "left":
		if len(rest) > 0 || len(c.left.keys) != 1 {
			return c, fmt.Errorf("%q stands behind one key", c.op)
		}
	case slices.Contains([]string{"in", "not-in", "unless", "contains"}, c.op):
		c.words = rest
	case len(rest) == 1 && (c.op == "=" || c.op == "!=") && isWord(rest[0]):
		c.words = rest
		c.op = map[string]string{"=": "in", "!=": "not-in"}[c.op]
	default:
		c.right, err = parseTerm(rest)
	}
	return c, err
}

// isWord tells true, false, null and 'quoted' words from keys and numbers.
func isWord(text string) bool {
	return text == "true" || text == "false" || text == "null" || strings.HasPrefix(text, "'")
}

func parseTerm(parts []string) (term, error) {
	var t term
	for i, p := range parts {
		if i%2 == 1 {
			if p != "*" && p != "/" && p != "%" {
				return t, fmt.Errorf("unknown operator %q", p)
			}
			t.ops = append(t.ops, p)
			continue
		}
		n, err := strconv.ParseFloat(p, 64)
		switch {
		case err == nil:
			t.keys, t.nums = append(t.keys, ""), append(t.nums, n)
		case word.MatchString(p):
			t.keys, t.nums = append(t.keys, p), append(t.nums, 0)
		default:
			return t, fmt.Errorf("%q is no key and no number", p)
		}
	}
	if len(t.keys) != len(t.ops)+1 {
		return t, fmt.Errorf("a term ends in an operator")
	}
	return t, nil
}

// keys are the fields that the condition asks for.
func (c *condition) keys() (out []string) {
	for _, key := range append(append([]string{}, c.left.keys...), c.right.keys...) {
		if key != "" {
			out = append(out, strings.TrimPrefix(key, "#"))
		}
	}
	return out
}

// holds reports whether a condition is known to be true of a run.
func (c *condition) holds(r *Run) bool {
	switch c.op {
	case "given":
		return r.Given(c.left.keys[0]) != nil
	case "left":
		return r.Given(c.left.keys[0]) == nil && !r.Open
	case "in", "not-in":
		v, known := r.Value(c.left.keys[0])
		if !known {
			return false
		}
		return isOneOf(v, c.words) == (c.op == "in")
	case "unless":
		v, known := r.Value(c.left.keys[0])
		return !known || !isOneOf(v, c.words)
	case "contains":
		v, known := r.Value(c.left.keys[0])
		return known && slices.ContainsFunc(c.words, func(w string) bool { return strings.Contains(strings.ToLower(v.Text), w) })
	}
	x, okX := c.left.number(r)
	y, okY := c.right.number(r)
	if !okX || !okY {
		return false
	}
	switch c.op {
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	case ">=":
		return x >= y
	case "=":
		return x == y
	}
	return x != y
}

func isOneOf(v runconf.Value, words []string) bool {
	for _, w := range words {
		w = strings.Trim(w, "'")
		switch truth, isBool := v.Bool(); {
		case w == "null" && v.Kind == runconf.Null,
			isBool && (w == "true" || w == "false") && (w == "true") == truth,
			w == "a-name" && v.Kind == runconf.Text,
			(v.Kind == runconf.Text || v.Kind == runconf.Made) && strings.EqualFold(v.Text, w):
			return true
		}
		if n, ok := v.Number(); ok {
			if m, err := strconv.ParseFloat(w, 64); err == nil && n == m {
				return true
			}
		}
	}
	return false
}

// number computes a term.
func (t *term) number(r *Run) (float64, bool) {
	out := 0.0
	for i, key := range t.keys {
		n := t.nums[i]
		if key != "" {
			var ok bool
			if n, ok = r.number(key); !ok {
				return 0, false
			}
		}
		switch {
		case i == 0:
			out = n
		case t.ops[i-1] == "*":
			out *= n
		case n == 0:
			return 0, false
		case t.ops[i-1] == "/":
			out /= n
		default:
			out = math.Mod(out, n)
		}
	}
	return out, true
}
