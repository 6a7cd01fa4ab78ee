// Package claim reads what somebody says is wrong in a program, without rlvet having found it,
// and finds the expression that is meant.
//
// Input: texts such as "OBJ001@loss.py:42" and "ratio@loss.py:42:13", or JSON with the same in
// fields. Output: a [Claim], and by [Wanted.Choose] the expression of the program that a probe
// is to watch. A claim names a rule, whose probe it is, or a quantity, whose contract is a probe
// of this package ([ContractOf]).
// Limits: what stands at a place is told by the syntax alone; whether the claim is true is for
// runs to say.
package claim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Claim is one.
type Claim struct {
	// What is the code or name of a rule, or a quantity.
	What string
	// File is as the user names it.
	File string
	// Cell is that of a notebook, 0 elsewhere.
	Cell int
	Line int
	// Column counts characters from 1; 0 where none is given.
	Column int
	// By is who claims it, "" where that was not said.
	By string
}

// String is the claim as it is written on the command line.
func (c Claim) String() string {
	at := fmt.Sprintf("%s@%s", c.What, c.File)
	if c.Cell > 0 {
		at += fmt.Sprintf(":cell %d", c.Cell)
	}
	at += fmt.Sprintf(":%d", c.Line)
	if c.Column > 0 {
		at += fmt.Sprintf(":%d", c.Column)
	}
	return at
}

// Most is how many claims are taken at a time.
const Most = 1000

var form = regexp.MustCompile(`^([^@\s]+)@(.+?)(?::cell (\d{1,6}))?:(\d{1,9})(?::(\d{1,9}))?$`)

// Parse reads a claim of the form WHAT@FILE:LINE or WHAT@FILE:LINE:COLUMN, in a notebook
// WHAT@FILE:cell N:LINE.
func Parse(text string) (Claim, error) {
	m := form.FindStringSubmatch(text)
	if m == nil {
		return Claim{}, fmt.Errorf("%q is no claim: write RULE@FILE:LINE or QUANTITY@FILE:LINE, such as OBJ001@loss.py:42 or ratio@loss.py:42; a column may follow", text)
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s) // digits by the pattern, or nothing
		return n
	}
	c := Claim{What: m[1], File: m[2], Cell: number(m[3]), Line: number(m[4]), Column: number(m[5])}
	return c, c.valid()
}

func (c Claim) valid() error {
	if c.What == "" || c.File == "" {
		return errors.New("a claim names a rule or a quantity, and a file")
	}
	if c.Line < 1 || c.Column < 0 || c.Cell < 0 {
		return fmt.Errorf("%s: lines and columns count from 1", c)
	}
	return nil
}

// Fields is a claim in JSON: either claim, as on the command line, or the rest.
type Fields struct {
	Claim    string `json:"claim,omitempty" jsonschema:"RULE@FILE:LINE or QUANTITY@FILE:LINE, a column may follow: OBJ001@loss.py:42"`
	Rule     string `json:"rule,omitempty" jsonschema:"code or name of the rule whose probe is put there, instead of claim"`
	Quantity string `json:"quantity,omitempty" jsonschema:"what the expression is, instead of a rule: ratio, advantage, log-prob, mask, target, kl ...; its contract is checked"`
	Path     string `json:"path,omitempty"`
	Cell     int    `json:"cell,omitempty" jsonschema:"cell of a notebook, from 1"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty" jsonschema:"where the expression begins, if several stand on the line"`
	By       string `json:"by,omitempty" jsonschema:"who claims it; it stands in the report"`
}

// Read returns the claim that the fields hold.
func (f Fields) Read() (Claim, error) {
	if f.Claim != "" {
		if f.Rule+f.Quantity+f.Path != "" || f.Line != 0 {
			return Claim{}, fmt.Errorf("%s: give claim, or rule (or quantity), path and line, not both", f.Claim)
		}
		c, err := Parse(f.Claim)
		c.By = f.By
		return c, err
	}
	if (f.Rule == "") == (f.Quantity == "") || f.Path == "" || f.Line == 0 {
		return Claim{}, errors.New("a claim needs path and line, and either rule or quantity")
	}
	c := Claim{What: f.Rule + f.Quantity, File: f.Path, Cell: f.Cell, Line: f.Line, Column: f.Column, By: f.By}
	return c, c.valid()
}

// ReadAll reads a JSON array of claims: texts as on the command line, or objects of [Fields].
func ReadAll(text []byte) ([]Claim, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("it must hold a JSON array of claims: %w", err)
	}
	out := make([]Claim, 0, len(list))
	for i, raw := range list {
		c, err := readOne(raw)
		if err != nil {
			return nil, fmt.Errorf("claim %d: %w", i+1, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func readOne(raw json.RawMessage) (Claim, error) {
	if strings.HasPrefix(string(bytes.TrimSpace(raw)), `"`) {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return Claim{}, err
		}
		return Parse(text)
	}
	var f Fields
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return Claim{}, err
	}
	return f.Read()
}
