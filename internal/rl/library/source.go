package library

// The layout of the table files. Keys that are not here are errors.

// fileSource is the layout of a table file.
type fileSource struct {
	Roots       []string                     `toml:"roots"`
	NotOnAny    []string                     `toml:"not-on-any"` // method names that other objects have too
	NoGraph     []string                     `toml:"no-graph"`   // packages and functions of which nothing carries a gradient
	Fn          map[string]rowSource         `toml:"fn"`
	Attr        map[string]rowSource         `toml:"attr"`
	Method      map[string]rowSource         `toml:"method"` // methods that tell by name alone
	Class       map[string]classSource       `toml:"class"`
	Scoring     map[string]scoringSource     `toml:"scoring"`  // how functions that score answers are called
	Template    map[string]templateSource    `toml:"template"` // chat templates
	Names       *lexiconSource               `toml:"names"`
	Environment map[string]environmentSource `toml:"environment"` // specifications of registered environments
	Atari       atariSource                  `toml:"atari"`       // those of games
}

// rowSource is the layout of a row.
type rowSource struct {
	Like     string           `toml:"like"`    // take what is not stated from that row
	Alias    []string         `toml:"alias"`   // other qualified names
	As       string           `toml:"as"`      // operation that it is, where it is another spelling of one with arguments of its own
	Method   bool             `toml:"method"`  // also a method of torch.Tensor
	InPlace  bool             `toml:"inplace"` // also with a trailing underscore
	Op       string           `toml:"op"`      // also this operator
	Params   []string         `toml:"params"`
	Flag     string           `toml:"flag"`    // parameter that a bool in second place means
	Tensor2  string           `toml:"tensor2"` // row for a tensor in second place
	Pair     string           `toml:"pair"`    // row for two arguments or more
	Since    string           `toml:"since"`
	Guards   bool             `toml:"guards"`
	Returns  string           `toml:"returns"` // class of the result
	Evidence string           `toml:"evidence"`
	From     []string         `toml:"from"` // arguments of the object's constructor that a part is made of
	Result   []outcomeSource  `toml:"result"`
	Elements []elementSource  `toml:"elements"`
	TupleIf  string           `toml:"tuple-if"`
	Contract []contractSource `toml:"contract"`
	outcomeDefaults
}

// outcomeDefaults are the parts that a row may state for all its results.
type outcomeDefaults struct {
	Kind    string `toml:"kind"`
	Range   any    `toml:"range"`
	NonZero bool   `toml:"nonzero"`
	Shape   string `toml:"shape"`
	Grad    string `toml:"grad"`
	Reduced string `toml:"reduced"`
	Whose   string `toml:"whose"`
}

// outcomeSource is the layout of a guarded result.
type outcomeSource struct {
	If         string   `toml:"if"`
	EvidenceOf []string `toml:"evidence"`
	outcomeDefaults
}

// elementSource is the layout of an element of a returned tuple.
type elementSource struct {
	Name   string          `toml:"name"`
	Result []outcomeSource `toml:"result"`
	outcomeDefaults
}

// contractSource is the layout of a contract.
type contractSource struct {
	Arg     string   `toml:"arg"`
	Accepts []string `toml:"accepts"`
	Rejects []string `toml:"rejects"`
	Rule    string   `toml:"rule"`
	If      string   `toml:"if"`
	Unless  string   `toml:"unless"`
}

// classSource is the layout of a class: a row for the constructor, and more.
type classSource struct {
	rowSource
	Bases      []string             `toml:"bases"`
	Scores     string               `toml:"scores"`     // kind of what a pretrained model yields or judges
	Configures string               `toml:"configures"` // what an object holds the settings of: sampling, rollouts
	Loss       string               `toml:"loss"`       // the method in which a subclass computes what is minimised
	Batches    string               `toml:"batches"`    // the method that returns the loader of what the loss method takes
	Hands      *handsSource         `toml:"hands"`      // what a trainer hands to methods of its subclasses
	Call       string               `toml:"call"`       // the function that calling an instance is
	CallRow    *rowSource           `toml:"call-row"`   // or a row of its own
	Methods    map[string]rowSource `toml:"methods"`
	Attrs      map[string]rowSource `toml:"attrs"`
}

// handsSource is the layout of the batch that a trainer hands to its methods.
type handsSource struct {
	To       []string             `toml:"to"`       // the methods
	Position int                  `toml:"position"` // of the batch among their parameters, self being 0
	Unless   []string             `toml:"unless"`   // methods by which a subclass makes the batch itself
	Optional []string             `toml:"optional"` // keys that a batch may lack
	Batch    map[string]rowSource `toml:"batch"`    // what is under each key
}
