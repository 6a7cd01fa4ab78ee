// Package pagetest takes pages of HTML apart for tests.
//
// In goes a page, out come its elements; a page in which they are not nested as they
// should be is an error.
// Limits: it reads what rlvet writes, which closes every element that has an end, and no
// other HTML.
package pagetest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// Element is the start of an element of a page.
type Element struct {
	Name       string
	Attributes map[string]string
}

// Elements returns the elements of a page in order.
func Elements(r io.Reader) ([]Element, error) {
	d := xml.NewDecoder(r)
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var out []Element
	var open []string
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			return out, nil
		}
		if err != nil {
			return out, fmt.Errorf("%w, within %v", err, open)
		}
		switch token := token.(type) {
		case xml.StartElement:
			out = append(out, elementOf(token))
			if !isVoid(token.Name.Local) {
				open = append(open, token.Name.Local)
			}
		case xml.EndElement:
			if isVoid(token.Name.Local) {
				continue // a tag that closes itself
			}
			if len(open) == 0 || open[len(open)-1] != token.Name.Local {
				return out, fmt.Errorf("</%s> within %v", token.Name.Local, open)
			}
			open = open[:len(open)-1]
		}
	}
}

func elementOf(token xml.StartElement) Element {
	e := Element{Name: token.Name.Local, Attributes: map[string]string{}}
	for _, a := range token.Attr {
		e.Attributes[a.Name.Local] = a.Value
	}
	return e
}

// isVoid reports whether an element never ends.
func isVoid(name string) bool {
	return name == "meta" || name == "link" || name == "br" || name == "img" || name == "hr" || name == "wbr" || name == "input"
}
