// Package ast holds the typed syntax tree of one Python module.
//
// Purpose: the only form of Python source that the rest of rlvet sees. The
// parser's own tree is lowered into it once and then closed.
//
// Input: package py/parse builds it. Output: plain structs, read-only after
// parsing. Every node has a dense NodeID, so that side tables are slices
// indexed by it, and a byte Span in the module's text.
//
// Limits: trivia (comments, whitespace, parentheses) is not kept; comments are
// listed in Module.Comments. What the grammar could not understand is a BadExpr
// or a BadStmt, and Module.Errors says so.
package ast

// NodeID numbers the nodes of one module densely from 1 in the order in which
// they start in the source; 0 is no node.
type NodeID uint32

// Span is a half-open range of byte offsets in the module's text.
type Span struct{ Start, End uint32 }

// Covers reports whether t lies wholly in s.
func (s Span) Covers(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// Node is any node of the tree.
type Node interface {
	// Span returns the node's byte range, equal to CPython's for the same node.
	Span() Span
	// NodeID returns the node's dense number within its module.
	NodeID() NodeID
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Pattern is a pattern of a match statement's case.
type Pattern interface {
	Node
	pattern()
}

// Meta is the part that all nodes share.
type Meta struct {
	ID  NodeID
	Loc Span
}

// Span implements Node.
func (m *Meta) Span() Span { return m.Loc }

// NodeID implements Node.
func (m *Meta) NodeID() NodeID { return m.ID }

// Module is a whole file, or all code cells of a notebook in order.
type Module struct {
	Body     []Stmt
	Comments []Comment
	Errors   []SyntaxError
	// NumNodes is one more than the largest NodeID: the length of a side table.
	NumNodes int
	// Text is the source that the spans point into.
	Text []byte
}

// Source returns the text of a node.
func (m *Module) Source(n Node) string {
	s := n.Span()
	return string(m.Text[s.Start:s.End])
}

// Comment is one comment, its '#' included, without the line end.
type Comment struct{ Span }

// SyntaxError is a place that the parser did not understand. The statement
// around it is a BadStmt (or holds a BadExpr); the rest of the module is intact.
type SyntaxError struct {
	Span    Span
	Message string // what is wrong and how to fix it, without position
}

// Expressions.
type (
	// Name is an identifier in load, store or delete position.
	Name struct {
		Meta
		Ident string
	}

	// Number is an int, float or complex literal, as written.
	Number struct {
		Meta
		Text string
	}

	// String is one or more adjacent string literals without interpolation.
	String struct {
		Meta
		Value string // decoded; bytes literals hold their bytes
		Bytes bool
	}

	// FString is an f-string, or adjacent literals of which one is an f-string.
	FString struct {
		Meta
		Parts    []Expr // *String and *FormattedValue in source order
		Template bool   // a t-string
	}

	// FormattedValue is one {...} of an f-string.
	FormattedValue struct {
		Meta
		Value      Expr
		Format     Expr // *FString or nil
		Conversion byte // 'r', 's' or 'a' of {x!r}, or 0
		Debug      bool // {x=}
	}

	// Constant is True, False, None or an ellipsis.
	Constant struct {
		Meta
		Kind ConstantKind
	}

	// Attribute is X.Attr.
	Attribute struct {
		Meta
		X       Expr
		Attr    string
		AttrLoc Span
	}

	// Subscript is X[Index]; several indices are a Tuple.
	Subscript struct {
		Meta
		X     Expr
		Index Expr
	}

	// Slice is Low:High:Step, each nil where absent.
	Slice struct {
		Meta
		Low, High, Step Expr
	}

	// Call is Fun(Args, Keywords).
	Call struct {
		Meta
		Fun      Expr
		Args     []Expr // *Starred for *args
		Keywords []*Keyword
	}

	// BinOp is X Op Y for an arithmetic, bitwise or matrix operator.
	BinOp struct {
		Meta
		X     Expr
		Op    Operator
		OpLoc Span
		Y     Expr
	}

	// UnaryOp is Op X.
	UnaryOp struct {
		Meta
		Op UnaryOperator
		X  Expr
	}

	// BoolOp is a chain of and, or of or.
	BoolOp struct {
		Meta
		Or     bool
		Values []Expr
	}

	// Compare is X Ops[0] Ys[0] Ops[1] Ys[1] ...
	Compare struct {
		Meta
		X   Expr
		Ops []CompareOperator
		Ys  []Expr
	}

	// IfExp is Then if Cond else Else.
	IfExp struct {
		Meta
		Cond, Then, Else Expr
	}

	// Lambda is lambda Params: Body.
	Lambda struct {
		Meta
		Params *Params
		Body   Expr
		Last   NodeID // the largest number below
	}

	// Tuple is a tuple display, with or without parentheses.
	Tuple struct {
		Meta
		Elts []Expr
	}

	// List is a list display.
	List struct {
		Meta
		Elts []Expr
	}

	// Set is a set display.
	Set struct {
		Meta
		Elts []Expr
	}

	// Dict is a dict display; a nil key is a ** entry.
	Dict struct {
		Meta
		Keys   []Expr
		Values []Expr
	}

	// Comp is a comprehension or generator expression.
	Comp struct {
		Meta
		Kind    CompKind
		Key     Expr // DictComp only
		Elt     Expr // the value, for DictComp
		Clauses []*CompClause
	}

	// Await is await X.
	Await struct {
		Meta
		X Expr
	}

	// Yield is yield X, or yield from X.
	Yield struct {
		Meta
		X    Expr // nil for a bare yield
		From bool
	}

	// NamedExpr is Target := X.
	NamedExpr struct {
		Meta
		Target *Name
		X      Expr
	}

	// Starred is *X, in a call, a display or a target.
	Starred struct {
		Meta
		X Expr
	}

	// BadExpr is source that was not understood.
	BadExpr struct{ Meta }
)

// Keyword is Name=Value of a call or class definition; Name is empty for **Value.
type Keyword struct {
	Meta
	Name  string
	Value Expr
}

// CompClause is one "for Target in Iter if Ifs..." of a comprehension.
type CompClause struct {
	Meta
	Target Expr
	Iter   Expr
	Ifs    []Expr
	Async  bool
}

// Params are the parameters of a function or lambda. The span is that of the
// list, for def with its parentheses; it is empty where the source has no list.
type Params struct {
	Meta
	List []*Param
}

// Param is one parameter. Its span goes from the star or name to the end of the
// default; CPython's arg has neither star nor default.
type Param struct {
	Meta
	Name       string
	Kind       ParamKind
	Annotation Expr // or nil
	Default    Expr // or nil
}

// TypeParam is one parameter in brackets of a generic def, class or type statement.
type TypeParam struct {
	Meta
	Name    string
	Kind    TypeParamKind
	Bound   Expr // or nil
	Default Expr // or nil
}

// Statements.
type (
	// FunctionDef is def or async def. Its span starts at the keyword, after decorators.
	FunctionDef struct {
		Meta
		Name       string
		NameLoc    Span
		TypeParams []*TypeParam
		Params     *Params
		Returns    Expr
		Decorators []Expr
		Body       []Stmt
		Async      bool
		Last       NodeID // the largest number below
	}

	// ClassDef is a class definition. Its span starts at the keyword, after decorators.
	ClassDef struct {
		Meta
		Name       string
		NameLoc    Span
		TypeParams []*TypeParam
		Bases      []Expr
		Keywords   []*Keyword
		Decorators []Expr
		Body       []Stmt
		Last       NodeID // the largest number below
	}

	// Return is return X.
	Return struct {
		Meta
		X Expr // or nil
	}

	// Delete is del Targets.
	Delete struct {
		Meta
		Targets []Expr
	}

	// Assign is Targets[0] = Targets[1] = ... = Value.
	Assign struct {
		Meta
		Targets []Expr
		Value   Expr
	}

	// AugAssign is Target Op= Value.
	AugAssign struct {
		Meta
		Target Expr
		Op     Operator
		OpLoc  Span // the operator without '='
		Value  Expr
	}

	// AnnAssign is Target: Annotation = Value.
	AnnAssign struct {
		Meta
		Target     Expr
		Annotation Expr
		Value      Expr // or nil
	}

	// For is for Target in Iter: Body else: Else.
	For struct {
		Meta
		Target Expr
		Iter   Expr
		Body   []Stmt
		Else   []Stmt
		Async  bool
	}

	// While is while Cond: Body else: Else.
	While struct {
		Meta
		Cond Expr
		Body []Stmt
		Else []Stmt
	}

	// If is if Cond: Then else: Else; elif is an If alone in Else.
	If struct {
		Meta
		Cond Expr
		Then []Stmt
		Else []Stmt
	}

	// With is with Items: Body.
	With struct {
		Meta
		Items []*WithItem
		Body  []Stmt
		Async bool
	}

	// Match is match Subject: Cases.
	Match struct {
		Meta
		Subject Expr
		Cases   []*Case
	}

	// Raise is raise X from Cause.
	Raise struct {
		Meta
		X, Cause Expr
	}

	// Try is try: Body except ...: Handlers else: Else finally: Finally.
	Try struct {
		Meta
		Body     []Stmt
		Handlers []*Handler
		Else     []Stmt
		Finally  []Stmt
		Star     bool // except*
	}

	// Assert is assert Cond, Msg.
	Assert struct {
		Meta
		Cond, Msg Expr
	}

	// Import is import Names.
	Import struct {
		Meta
		Names []*Alias
	}

	// ImportFrom is from <Level dots>Module import Names; a star is Name "*".
	ImportFrom struct {
		Meta
		Module string
		Level  int
		Names  []*Alias
	}

	// Global is global Names.
	Global struct {
		Meta
		Names []string
	}

	// Nonlocal is nonlocal Names.
	Nonlocal struct {
		Meta
		Names []string
	}

	// ExprStmt is an expression evaluated for its effect.
	ExprStmt struct {
		Meta
		X Expr
	}

	// Pass is pass.
	Pass struct{ Meta }

	// Break is break.
	Break struct{ Meta }

	// Continue is continue.
	Continue struct{ Meta }

	// TypeAlias is type Name = Value.
	TypeAlias struct {
		Meta
		Name       *Name
		TypeParams []*TypeParam
		Value      Expr
	}

	// BadStmt is source that was not understood.
	BadStmt struct{ Meta }
)

// Alias is Name as AsName of an import; AsName is empty where absent.
type Alias struct {
	Meta
	Name   string // dotted
	AsName string
}

// WithItem is Context as Target; Target is nil where absent.
type WithItem struct {
	Meta
	Context Expr
	Target  Expr
}

// Handler is except Type as Name: Body.
type Handler struct {
	Meta
	Type Expr // or nil
	Name string
	Body []Stmt
}

// Case is case Pattern if Guard: Body.
type Case struct {
	Meta
	Pattern Pattern
	Guard   Expr // or nil
	Body    []Stmt
}

// Patterns.
type (
	// MatchValue is a literal or a dotted name; MatchValue of a Constant is a singleton.
	MatchValue struct {
		Meta
		Value Expr
	}

	// MatchSequence is [a, b, *rest] or (a, b).
	MatchSequence struct {
		Meta
		Patterns []Pattern
	}

	// MatchStar is *Name in a sequence; Name is empty for *_.
	MatchStar struct {
		Meta
		Name string
	}

	// MatchMapping is {Keys[i]: Patterns[i], **Rest}.
	MatchMapping struct {
		Meta
		Keys     []Expr
		Patterns []Pattern
		Rest     string
	}

	// MatchClass is Cls(Patterns, KwdNames[i]=KwdPatterns[i]).
	MatchClass struct {
		Meta
		Cls         Expr
		Patterns    []Pattern
		KwdNames    []string
		KwdPatterns []Pattern
	}

	// MatchAs is Pattern as Name; a capture has no Pattern, the wildcard neither.
	MatchAs struct {
		Meta
		Pattern Pattern
		Name    string
	}

	// MatchOr is Patterns[0] | Patterns[1] | ...
	MatchOr struct {
		Meta
		Patterns []Pattern
	}

	// BadPattern is a pattern that was not understood.
	BadPattern struct{ Meta }
)

func (*Name) expr()           {}
func (*Number) expr()         {}
func (*String) expr()         {}
func (*FString) expr()        {}
func (*FormattedValue) expr() {}
func (*Constant) expr()       {}
func (*Attribute) expr()      {}
func (*Subscript) expr()      {}
func (*Slice) expr()          {}
func (*Call) expr()           {}
func (*BinOp) expr()          {}
func (*UnaryOp) expr()        {}
func (*BoolOp) expr()         {}
func (*Compare) expr()        {}
func (*IfExp) expr()          {}
func (*Lambda) expr()         {}
func (*Tuple) expr()          {}
func (*List) expr()           {}
func (*Set) expr()            {}
func (*Dict) expr()           {}
func (*Comp) expr()           {}
func (*Await) expr()          {}
func (*Yield) expr()          {}
func (*NamedExpr) expr()      {}
func (*Starred) expr()        {}
func (*BadExpr) expr()        {}

func (*FunctionDef) stmt() {}
func (*ClassDef) stmt()    {}
func (*Return) stmt()      {}
func (*Delete) stmt()      {}
func (*Assign) stmt()      {}
func (*AugAssign) stmt()   {}
func (*AnnAssign) stmt()   {}
func (*For) stmt()         {}
func (*While) stmt()       {}
func (*If) stmt()          {}
func (*With) stmt()        {}
func (*Match) stmt()       {}
func (*Raise) stmt()       {}
func (*Try) stmt()         {}
func (*Assert) stmt()      {}
func (*Import) stmt()      {}
func (*ImportFrom) stmt()  {}
func (*Global) stmt()      {}
func (*Nonlocal) stmt()    {}
func (*ExprStmt) stmt()    {}
func (*Pass) stmt()        {}
func (*Break) stmt()       {}
func (*Continue) stmt()    {}
func (*TypeAlias) stmt()   {}
func (*BadStmt) stmt()     {}

func (*MatchValue) pattern()    {}
func (*MatchSequence) pattern() {}
func (*MatchStar) pattern()     {}
func (*MatchMapping) pattern()  {}
func (*MatchClass) pattern()    {}
func (*MatchAs) pattern()       {}
func (*MatchOr) pattern()       {}
func (*BadPattern) pattern()    {}
