package record

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestAllAreListed: whoever adds a constant adds it to the list by which people name it.
func TestAllAreListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "quantity.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if of, ok := spec.Type.(*ast.Ident); ok {
				declared[of.Name]++
			}
		}
		return true
	})
	if declared["Quantity"] != len(Quantities) || declared["Unit"] != len(Units) {
		t.Errorf("%d quantities and %d units are listed, of %v", len(Quantities), len(Units), declared)
	}
}
