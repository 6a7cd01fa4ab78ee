package pass

import "github.com/rlvet/rlvet/internal/py/ast"

// The precedences of Python's expressions, weakest first, as far as edits need
// to tell them apart.
const (
	precWeak    = iota // tuple, lambda, conditional, walrus, yield, comparison, and, or, not
	precBitOr          // |
	precBitXor         // ^
	precBitAnd         // &
	precShift          // << >>
	precAdd            // + -
	precMult           // * / // % @
	precUnary          // -x
	precPow            // **
	precPrimary        // names, literals, calls, attributes, subscripts, displays
)

var opPrec = map[ast.Operator]int{
	ast.BitOr: precBitOr, ast.BitXor: precBitXor, ast.BitAnd: precBitAnd, ast.LShift: precShift, ast.RShift: precShift,
	ast.Add: precAdd, ast.Sub: precAdd, ast.Mult: precMult, ast.MatMult: precMult, ast.Div: precMult,
	ast.FloorDiv: precMult, ast.Mod: precMult, ast.Pow: precPow,
}

var opText = map[ast.Operator]string{
	ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&", ast.LShift: "<<", ast.RShift: ">>", ast.Add: "+", ast.Sub: "-",
	ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
}

// precedence returns how tightly an expression holds together.
func precedence(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.BinOp:
		return opPrec[e.Op]
	case *ast.UnaryOp:
		if e.Op == ast.Not {
			return precWeak
		}
		return precUnary
	case *ast.Await:
		return precPow
	case *ast.Tuple, *ast.Lambda, *ast.IfExp, *ast.NamedExpr, *ast.Yield, *ast.Compare, *ast.BoolOp, *ast.Starred, *ast.BadExpr:
		return precWeak
	}
	return precPrimary
}
