// Package library knows what the functions and classes of torch, numpy,
// gymnasium, transformers and trl, and Python's operators, do to the
// quantities of RL mathematics.
//
// The knowledge is data: one embedded TOML file a library, one row a function
// (aliases, parameters, guarded results, names of shape, grad and range
// rules). Input of a lookup is a qualified name, a method name or a variable
// name; output is a Func, a Class or a domain.Value. The package reads no
// file and runs no Python; that the rows are true of the real libraries is
// checked by the conformance test.
//
// Limits: a row speaks of one call at a time; `out=` arguments, dtypes and
// devices are not followed, and a NaN is outside of every claim.
package library

import (
	"slices"
	"sync"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Table is the loaded knowledge. It is immutable and safe for concurrent use.
type Table struct {
	funcs        map[string]*Func
	methods      map[string]*Func
	attrs        map[string]*Func
	operators    map[string]*Func
	classes      map[string]*Class
	roots        map[string]bool
	noGraph      map[string]bool
	lexicon      lexicon
	scorings     []*Scoring
	templates    []*Template
	environments specifications
	rows         []*Func // every row once, in file order
}

var load = sync.OnceValue(func() *Table {
	t, err := parse(embedded())
	if err != nil {
		panic("library: embedded tables: " + err.Error())
	}
	return t
})

// Load returns the tables built into the program. A test loads them, so a
// table that cannot be loaded is never shipped.
func Load() *Table { return load() }

// Func returns the row of a canonical name or alias ("torch.softmax",
// "torch.Tensor.softmax", "numpy.exp"), or nil.
func (t *Table) Func(qualified string) *Func { return t.funcs[qualified] }

// Method returns the row of a method called on a receiver of unknown class
// ("exp" is torch.Tensor.exp), or nil where the name says nothing because
// other objects have methods of that name.
func (t *Table) Method(name string) *Func { return t.methods[name] }

// Attr returns the row of an attribute read on a tensor or on a value of
// unknown class ("T", "data", "logits"), as a function of the receiver, or nil.
func (t *Table) Attr(name string) *Func { return t.attrs[name] }

// Class returns a library class by its qualified name or alias, or nil.
func (t *Table) Class(qualified string) *Class { return t.classes[qualified] }

// Operator returns the row of an operator ("add", "div", "matmul", "lt",
// "invert", "bitor", "or" ...), or nil. The receiver is the left operand.
func (t *Table) Operator(op string) *Func { return t.operators[op] }

// Name returns what a variable or parameter of that name usually holds. The
// value's evidence is NameOnly, and ok is false for most names.
func (t *Table) Name(ident string) (domain.Value, bool) { return t.lexicon.value(ident) }

// Weighs reports whether a setting of that name is usually the weight of a term of a kind,
// as "kl_coef" is of a KL. An alone name, such as "beta", may weigh something else.
func (t *Table) Weighs(ident string, k domain.Kind) (is, alone bool) {
	return t.lexicon.weighs(ident, k)
}

// NoGraph reports whether nothing that a symbol of a library yields carries a gradient: it is
// of a package that knows no tensors of torch, or returns numbers.
func (t *Table) NoGraph(qualified string) bool {
	for at := range len(qualified) {
		if qualified[at] == '.' && t.noGraph[qualified[:at]] {
			return true
		}
	}
	return t.noGraph[qualified]
}

// Settings reports whether a variable or attribute of that name usually holds settings.
func (t *Table) Settings(ident string) bool { return t.lexicon.holdsSettings(ident) }

// Owner returns whose something of that name usually is, as "ref_model" is the reference's.
func (t *Table) Owner(ident string) domain.Whose { return t.lexicon.owner(ident) }

// Class is a class of a library.
type Class struct {
	Name   string
	Kind   domain.Kind // module, distribution, optimizer, env, or other
	Params []string    // of the constructor, without self
	New    *Func       // the constructor; its result is the instance
	Call   *Func       // what instance(x) does; nil if unknown
	// Scores is what a model of the class is for: tokens of a language model, reward of a
	// sequence classifier. It is zero for other classes.
	Scores domain.Kind
	// Configures is what objects of the class hold the settings of, or zero.
	Configures Configured
	// Batches is the method by which a trainer asks its subclasses for a loader, of which each batch goes
	// to the loss method; "" where there is none.
	Batches string

	// Hands is the batch that a trainer hands to methods of its subclasses, or nil.
	Hands *Hands

	loss    string // see LossMethod
	bases   []*Class
	methods map[string]*Func
	attrs   map[string]*Func
}

// Configured is what settings are of.
type Configured uint8

// What classes of settings configure.
const (
	Sampling Configured = iota + 1 // how a language model samples text
	Rollouts                       // a trainer that samples its own rollouts and weighs them by importance ratios
)

var configured = map[string]Configured{"": 0, "sampling": Sampling, "rollouts": Rollouts}

// Hands is a batch that a trainer makes and hands to some of its methods.
type Hands struct {
	To       []string         // the methods
	Position int              // of the batch among their parameters, self being 0
	Unless   []string         // methods by which a subclass makes the batch itself
	Optional []string         // keys that a batch may lack
	Batch    map[string]*Func // what is under each key, as a function of the batch
}

// HandsTo is what c, or a trainer that c is made of, hands to a method; nil where that is not known.
func (c *Class) HandsTo(method string) *Hands {
	if c.Hands != nil && slices.Contains(c.Hands.To, method) {
		return c.Hands
	}
	for _, b := range c.bases {
		if h := b.HandsTo(method); h != nil {
			return h
		}
	}
	return nil
}

// LossMethod is the method by which a trainer asks its subclasses for the loss; "" for classes that are
// no trainers.
func (c *Class) LossMethod() string {
	if c.loss != "" {
		return c.loss
	}
	for _, b := range c.bases {
		if m := b.LossMethod(); m != "" {
			return m
		}
	}
	return ""
}

// AsksForLoss reports whether a trainer asks a method of its subclasses for the loss: that of c, or of a trainer that c is made of, which
// calls the one of c.
func (c *Class) AsksForLoss(method string) bool {
	own := c.loss != "" && c.loss == method || c.Hands != nil && slices.Contains(c.Hands.To, method)
	return own || slices.ContainsFunc(c.bases, func(b *Class) bool { return b.AsksForLoss(method) })
}

// Excludes reports whether no object of c is one of d: they do different things when they are
// called. It is false where that is not known.
func (c *Class) Excludes(d *Class) bool {
	return c != nil && d != nil && c.Call != nil && d.Call != nil && c.Call != d.Call && len(c.bases) == 0 && len(d.bases) == 0
}

// Method returns the row of a method of c or of its bases, or nil; the
// instance is the receiver.
func (c *Class) Method(name string) *Func {
	if f := c.methods[name]; f != nil {
		return f
	}
	for _, b := range c.bases {
		if f := b.Method(name); f != nil {
			return f
		}
	}
	return nil
}

// AttrFunc returns the row of an attribute as a function of the instance.
func (c *Class) AttrFunc(name string) *Func {
	if f := c.attrs[name]; f != nil {
		return f
	}
	for _, b := range c.bases {
		if f := b.AttrFunc(name); f != nil {
			return f
		}
	}
	return nil
}

// BindCall binds a call of an instance: the constructor's arguments stand in
// for parameters that the call leaves out, as `dim` of nn.Softmax(dim=-1).
func (c *Class) BindCall(memory *Scratch, ctor Args, pos []Operand, kw map[string]Operand) Args {
	if c.Call == nil {
		return Args{}
	}
	a := c.Call.BindIn(memory, pos, kw)
	for i, p := range a.f.Params {
		if o, ok := ctor.Get(p); ok && a.at(i) == nil {
			a.set(i, o)
		}
	}
	return a
}
