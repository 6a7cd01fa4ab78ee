package hunt

import (
	"context"
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
)

// narrow finds the expression of an operation in its line. Python says where it begins from
// 3.11 on, in bytes, and nothing of operations in backward; the name of the operation tells
// the rest. Where two expressions of the line may be meant, the line stands for them.
func (b *FirstBad) narrow(ctx context.Context, text []byte) {
	file, err := source.FromText(b.Filename, text)
	if err != nil || b.Row < 1 || b.Row > file.Lines().Count() {
		return
	}
	start := -1
	if b.Column > 0 {
		start = file.Lines().Start(b.Row) + b.Column - 1
		b.Column = file.Position(start).Column
	}
	found := b.expressions(ctx, file, start)
	if len(found) != 1 {
		return
	}
	from, to := file.Position(int(found[0].Start)), file.Position(int(found[0].End))
	if from.Row == b.Row && to.Row == b.Row {
		b.Column, b.EndColumn = from.Column, to.Column
	}
}

// expressions are those that may be the operation, on its row, and where start is known,
// beginning there.
func (b *FirstBad) expressions(ctx context.Context, file *source.File, start int) (out []ast.Span) {
	parser := parse.New()
	defer parser.Close()
	tree, err := parser.Parse(ctx, file.Path, file.Text)
	if err != nil {
		return nil
	}
	lines, op := file.Lines(), plainName(b.Op)
	ast.WalkModule(tree, func(n ast.Node) bool {
		from, to := int(n.Span().Start), int(n.Span().End)
		if lines.Row(from) > b.Row || lines.Row(to) < b.Row {
			return lines.Row(from) <= b.Row
		}
		if e, ok := n.(ast.Expr); ok && lines.Row(from) == b.Row && (start < 0 || from == start) && b.makes(e, op) {
			out = append(out, n.Span())
		}
		return true
	})
	return out
}

var (
	backwardNode = regexp.MustCompile(`Backward\d*$`)
	humps        = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// plainName is the name of an operation as programs write it: sqrt of SqrtBackward0, add of
// add_, softmax of _softmax.
func plainName(op string) string {
	op = backwardNode.ReplaceAllString(op, "")
	return strings.Trim(strings.ToLower(humps.ReplaceAllString(op, "${1}_${2}")), "_")
}

// operators are the operations that have a sign.
var operators = map[string][]ast.Operator{
	"add": {ast.Add}, "sub": {ast.Sub}, "rsub": {ast.Sub}, "mul": {ast.Mult}, "div": {ast.Div}, "true_divide": {ast.Div}, "reciprocal": {ast.Div},
	"pow": {ast.Pow}, "matmul": {ast.MatMult}, "mm": {ast.MatMult}, "bmm": {ast.MatMult}, "mv": {ast.MatMult},
}

// makes reports whether an expression is the operation.
func (b *FirstBad) makes(e ast.Expr, op string) bool {
	switch e := e.(type) {
	case *ast.BinOp:
		for _, o := range operators[op] {
			if e.Op == o {
				return true
			}
		}
	case *ast.Call:
		name := ""
		switch f := e.Fun.(type) {
		case *ast.Attribute:
			name = f.Attr
			if x, ok := f.X.(*ast.Name); ok && name == "apply" && b.Function != nil && strings.HasSuffix("."+*b.Function, "."+x.Ident) {
				return true
			}
		case *ast.Name:
			name = f.Ident
		}
		return strings.Trim(name, "_") == op
	}
	return false
}
