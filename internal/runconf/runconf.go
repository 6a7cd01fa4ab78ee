// Package runconf reads how a training run is configured: the keys of a YAML, TOML or JSON
// document, and the words of the commands of a shell script.
//
// Input: the text of a file. Output: documents and commands as plain data, in which each
// value says where it is written. Nothing is executed, and no other file is read but the scripts
// that a script sources, as far as Around has them. What a
// text does not tell (a variable of the environment, the output of a command, a template) is
// an unknown value, never a guess.
//
// Limits: source.MaxConfigurationSize bytes of text, which who reads the file sees to, and MaxSettings settings of a document; deeper nesting and
// more aliases than a person writes are errors. Which framework a document or command
// belongs to is for package frameworks to say.
package runconf

import (
	"strconv"
	"strings"
)

// The bounds. What people write by hand is far below.
const (
	// MaxSettings bounds the settings of one document: aliases may stand for aliases.
	MaxSettings = 20000
	// maxWork bounds the nodes of a document, of which aliases may name one many times.
	maxWork = 200000
	// maxWords and maxValue bound what a variable of a script holds: it may be made of itself.
	maxWords, maxValue = 5000, 64 << 10
	// maxDepth bounds mappings in mappings.
	maxDepth = 64
)

// Span is a half-open range of bytes of the text, or of another file that it names.
type Span struct {
	Start, End int
	File       string // absolute; "" for the text itself
}

// Setting is one value under its key.
type Setting struct {
	Key   string // dotted, as written: actor.optim.lr
	Value Value
	// At is where it is set: the key with its value, as far as they stand together.
	At Span
	// From is where the value is written, if that is elsewhere: in a variable of the script.
	From Span
	// Default names the option whose default the value is, which the command line may change; "" for what is set.
	Default string
}

// Document is a YAML, TOML or JSON document.
type Document struct {
	At       Span
	Settings []Setting // in order; of several with one key the last one counts
	// Bases are the other files that it starts from: the entries of a defaults list, GROUP=NAME those of a group, and
	// "_self_" where it says so.
	Bases []string
}

// Kind says what a value is.
type Kind uint8

// The kinds of values.
const (
	Unknown Kind = iota // not known from the text
	Null
	Text
	List
	Made // by a call of Text, in Python
)

// Value is the value of a setting. A number and a truth value is a Text that reads so: on a command
// line there is no difference.
type Value struct {
	Kind  Kind
	Text  string
	Items []Value
	// Reads says who takes it for a string, though it looks like a number or a truth value.
	Reads Reading
}

// Reading says which readers of a document take a value for a string.
type Reading uint8

// The readings. Whoever converts values to the type of their field, as argparse does, takes none for a string.
const (
	ByLooks  Reading = iota // as what it looks like
	ByDot                   // a number to OmegaConf and a string to PyYAML, to which one with an exponent has a dot and a sign: 1e-5
	AsString                // a string to both: "0.1" in quotes
)

// As returns the value to who takes the values of a reading, and of those before it, as what they look like.
func (v Value) As(r Reading) Value {
	if v.Reads <= r {
		v.Reads = ByLooks
	}
	if v.Items != nil {
		items := make([]Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.As(r)
		}
		v.Items = items
	}
	return v
}

// Of returns the value that a text stands for.
func Of(text string) Value { return Value{Kind: Text, Text: text} }

// Number returns the number that a value is.
func (v Value) Number() (float64, bool) {
	if v.Kind != Text || v.Reads != ByLooks {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(v.Text, "_", ""), 64)
	return n, err == nil
}

// Bool returns the truth value that a value is, in the spellings of YAML, Python and flags.
func (v Value) Bool() (value, ok bool) {
	if v.Kind != Text || v.Reads != ByLooks {
		return false, false
	}
	switch strings.ToLower(v.Text) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}
