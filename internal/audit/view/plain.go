package view

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

func plain(text string) string { return words.Plain(text) }

// known are names of the JSON that people write otherwise than with spaces.
var known = map[string]string{
	"held_out": "held-out score", "kl_reference": "KL to reference", "approx_kl": "approx KL", "kl_coefficient": "KL coefficient",
	"win_rate_length_controlled": "win rate, equal length", "arena_win_rate": "win rate, arena", "rep_2": "rep-2", "rep_3": "rep-3", "rep_4": "rep-4 above base",
}

// named writes a name of the JSON as people do.
func named(name string) string {
	if w, ok := known[name]; ok {
		return w
	}
	return strings.ReplaceAll(plain(name), "_", " ")
}

// number writes four digits, for thresholds and the axes of plots, and no power of ten where it can be
// read without.
func number(v float64) string { return digits(v, 4) }

// short writes three, which is how each result is written wherever it stands.
func short(v float64) string { return digits(v, 3) }

func digits(v float64, n int) string {
	switch size := math.Abs(v); {
	case size < 1e-9: // what is left of a sum that is 0
		return "0"
	case size >= math.Pow10(n) && size < 1e7:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', n, 64)
}

// measured writes a number with its unit.
func measured(v float64, unit record.Unit) string {
	switch unit {
	case record.Share:
		return short(100*v) + " %"
	case "", record.Plain:
		return short(v)
	}
	return short(v) + " " + plain(string(unit))
}

// numbers are those of a border in words, with the sign before them.
var numbers = regexp.MustCompile(`[<>] -?[0-9.]+(e[-+]?[0-9]+)?`)

// threshold is the border of a signal, in the unit that its value is shown in.
func threshold(s *audit.Signal) string {
	if s.Unit != record.Share {
		return plain(s.Threshold)
	}
	return numbers.ReplaceAllStringFunc(plain(s.Threshold), func(border string) string {
		v, err := strconv.ParseFloat(border[2:], 64)
		if err != nil {
			return border
		}
		return border[:2] + number(100*v) + " %"
	})
}

// capital starts a sentence.
func capital(text string) string {
	for i, c := range text {
		return strings.ToUpper(string(c)) + text[i+len(string(c)):]
	}
	return text
}

func plainAll(list []string) (out []string) {
	for _, s := range list {
		out = append(out, plain(s))
	}
	return out
}
