package parse

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/asttest"
)

var nodeType = reflect.TypeFor[ast.Node]()

// fieldNodes returns the nodes that the fields of n hold, found by reflection.
func fieldNodes(n ast.Node) (out []ast.Node) {
	add := func(v reflect.Value) {
		if v.Type().Implements(nodeType) && !v.IsNil() {
			out = append(out, v.Interface().(ast.Node))
		}
	}
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Interface, reflect.Pointer:
			add(f)
		case reflect.Slice:
			for k := range f.Len() {
				if e := f.Index(k); e.Kind() == reflect.Interface || e.Kind() == reflect.Pointer {
					add(e)
				}
			}
		}
	}
	return out
}

// TestChildrenIsComplete parses every form of Python and holds ast.Children, for
// every node, to what the node's fields hold, in the order of the numbers.
func TestChildrenIsComplete(t *testing.T) {
	p := New()
	defer p.Close()
	seen := map[string]bool{}
	for _, g := range goldenFiles(t) {
		for _, f := range g.archive.Files {
			if !strings.HasSuffix(f.Name, ".py") {
				continue
			}
			m := mustParse(t, p, string(f.Data))
			ast.WalkModule(m, func(n ast.Node) bool {
				seen[reflect.TypeOf(n).Elem().Name()] = true
				var children []ast.Node
				ast.Children(n, func(c ast.Node) { children = append(children, c) })
				want := fieldNodes(n)
				slices.SortFunc(want, func(a, b ast.Node) int { return int(a.NodeID()) - int(b.NodeID()) })
				if !slices.Equal(children, want) {
					t.Errorf("%s: children of %s are %d, its fields hold %d", f.Name, asttest.Dump(n), len(children), len(want))
				}
				return true
			})
		}
	}
	if len(seen) < 67 {
		t.Errorf("the archives show only %d types of node: %v", len(seen), seen)
	}
}
