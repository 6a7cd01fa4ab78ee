// Package asttest writes syntax trees as text.
//
// Purpose: tests of the parser compare trees. Input: nodes. Output: S-expressions.
// Limits: tests only; positions are left out.
package asttest

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Dump returns n and what is below it as an S-expression: the node's type, its own words, its children. Positions are left
// out.
func Dump(n ast.Node) string {
	var b strings.Builder
	dump(&b, n)
	return b.String()
}

// DumpModule returns one line for each statement of m.
func DumpModule(m *ast.Module) string {
	var b strings.Builder
	for _, s := range m.Body {
		dump(&b, s)
		b.WriteByte('\n')
	}
	return b.String()
}

func dump(b *strings.Builder, n ast.Node) {
	b.WriteByte('(')
	v := reflect.ValueOf(n).Elem()
	b.WriteString(v.Type().Name())
	for i := range v.NumField() {
		switch name := v.Type().Field(i).Name; name {
		case "Meta":
		default:
			dumpField(b, name, v.Field(i))
		}
	}
	b.WriteByte(')')
}

// dumpField writes a field that is not empty: a child as it is, a list or a
// word with the field's name. Spans and numbers of nodes are left out.
func dumpField(b *strings.Builder, name string, v reflect.Value) {
	if v.IsZero() && (v.Kind() != reflect.Uint8 || v.Type().PkgPath() == "") {
		return
	}
	switch v.Interface().(type) {
	case ast.Span, ast.NodeID:
		return
	}
	b.WriteByte(' ')
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		fmt.Fprintf(b, "%s=", name)
		dump(b, v.Interface().(ast.Node))
	case reflect.Slice:
		fmt.Fprintf(b, "%s=[", name)
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			dumpElement(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	case reflect.Bool:
		b.WriteString(name)
	default:
		fmt.Fprintf(b, "%v", v.Interface())
	}
}

func dumpElement(b *strings.Builder, v reflect.Value) {
	if n, ok := v.Interface().(ast.Node); ok && !v.IsZero() {
		dump(b, n)
		return
	}
	if v.IsZero() && v.Kind() == reflect.Interface {
		b.WriteString("nil")
		return
	}
	fmt.Fprintf(b, "%v", v.Interface())
}
