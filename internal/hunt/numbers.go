package hunt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Float is a number that JSON carries as "nan", "inf" or "-inf" where it is not finite.
type Float float64

// MarshalJSON writes the number.
func (f Float) MarshalJSON() ([]byte, error) {
	switch v := float64(f); {
	case math.IsNaN(v):
		return []byte(`"nan"`), nil
	case math.IsInf(v, 0):
		return []byte(strconv.Quote(f.String())), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON reads it. Null changes nothing, as is the custom.
func (f *Float) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	v, err := strconv.ParseFloat(string(bytes.Trim(text, `"`)), 64)
	if err != nil {
		return fmt.Errorf("%s is no number", text)
	}
	*f = Float(v)
	return nil
}

// String writes four digits, as people read them.
func (f Float) String() string {
	switch v := float64(f); {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(float64(f), 'g', 4, 64)
}

// Finite reports whether the number is one.
func (f Float) Finite() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

func (f Float) isNaN() bool { return math.IsNaN(float64(f)) }

// Loss is the value on which backward was called: in JSON [backward, step, value].
type Loss struct {
	Backward, Step int
	Value          Float
}

// MarshalJSON writes the three numbers.
func (l Loss) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{l.Backward, l.Step, l.Value})
}

// UnmarshalJSON reads them.
func (l *Loss) UnmarshalJSON(text []byte) error {
	return unpack(text, &l.Backward, &l.Step, &l.Value)
}

// Norm is that of the gradient before an optimizer step: in JSON [step, norm].
type Norm struct {
	Step  int
	Value Float
}

// MarshalJSON writes the two numbers.
func (n Norm) MarshalJSON() ([]byte, error) { return json.Marshal([]any{n.Step, n.Value}) }

// UnmarshalJSON reads them.
func (n *Norm) UnmarshalJSON(text []byte) error { return unpack(text, &n.Step, &n.Value) }

// unpack reads an array of JSON into places of different types.
func unpack(text []byte, into ...any) error {
	want := len(into)
	if err := json.Unmarshal(text, &into); err != nil {
		return err
	}
	if len(into) != want {
		return fmt.Errorf("%s: want %d numbers", text, want)
	}
	return nil
}
