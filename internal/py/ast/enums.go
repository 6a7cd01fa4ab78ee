package ast

// ConstantKind tells the four keyword constants apart.
type ConstantKind uint8

// The keyword constants.
const (
	None ConstantKind = iota
	True
	False
	Ellipsis
)

var constantText = [...]string{"None", "True", "False", "Ellipsis"}

// String returns the constant's name in Python.
func (k ConstantKind) String() string { return constantText[k] }

// CompKind tells the four comprehensions apart.
type CompKind uint8

// The comprehensions.
const (
	ListComp CompKind = iota
	SetComp
	DictComp
	GeneratorExp
)

var compText = [...]string{"ListComp", "SetComp", "DictComp", "GeneratorExp"}

// String returns the name of CPython's node.
func (k CompKind) String() string { return compText[k] }

// ParamKind tells how a parameter takes its argument.
type ParamKind uint8

// The kinds of parameters, in the order in which a signature lists them.
const (
	PosOnly   ParamKind = iota // before "/"
	PosOrKw                    // ordinary
	VarArgs                    // *args
	KwOnly                     // after "*"
	VarKwArgs                  // **kwargs
)

var paramText = [...]string{"PosOnly", "PosOrKw", "VarArgs", "KwOnly", "VarKwArgs"}

// String returns the constant's name.
func (k ParamKind) String() string { return paramText[k] }

// TypeParamKind tells what a type parameter stands for.
type TypeParamKind uint8

// The kinds of type parameters.
const (
	TypeVar      TypeParamKind = iota // T
	TypeVarTuple                      // *Ts
	ParamSpec                         // **P
)

var typeParamText = [...]string{"TypeVar", "TypeVarTuple", "ParamSpec"}

// String returns the name of CPython's node.
func (k TypeParamKind) String() string { return typeParamText[k] }

// Operator is a binary operator, also of an augmented assignment.
type Operator uint8

// The binary operators.
const (
	Add Operator = iota
	Sub
	Mult
	MatMult
	Div
	Mod
	Pow
	LShift
	RShift
	BitOr
	BitXor
	BitAnd
	FloorDiv
)

var operatorText = [...]string{"+", "-", "*", "@", "/", "%", "**", "<<", ">>", "|", "^", "&", "//"}

// String returns the operator as written in Python.
func (o Operator) String() string { return operatorText[o] }

// UnaryOperator is a unary operator.
type UnaryOperator uint8

// The unary operators.
const (
	UAdd UnaryOperator = iota
	USub
	Invert
	Not
)

var unaryText = [...]string{"+", "-", "~", "not"}

// String returns the operator as written in Python.
func (o UnaryOperator) String() string { return unaryText[o] }

// CompareOperator is an operator of a comparison.
type CompareOperator uint8

// The comparison operators.
const (
	Eq CompareOperator = iota
	NotEq
	Lt
	LtE
	Gt
	GtE
	Is
	IsNot
	In
	NotIn
)

var compareText = [...]string{"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"}

// String returns the operator as written in Python.
func (o CompareOperator) String() string { return compareText[o] }
