// Package infer evaluates a Python module abstractly and answers, for every
// expression, what RL quantity it is and where it came from.
//
// # The value graph
//
// Evaluation turns the program into a graph. A node is a [Val]: the abstract
// quantity (domain.Value), the operation that produced it, its inputs, and the
// syntax it stands for. Reading a variable yields the very Val that was
// assigned, so "x - x.mean()" shares one input, whatever the variables are
// called and through however many helpers, attributes, tuples and modules x
// went. Rules ask two things: what a Val is (v.Q), and how it was made
// (v.Op, v.In). They never look at names.
//
// # Frames
//
// A function body is evaluated once for each distinct calling context: a
// [Frame]. A context is the tuple of abstract arguments; equal contexts are
// memoised. So a helper that samples from logits in one place and from
// probabilities in another has two frames, and only one of them is wrong. A
// function that nobody calls is evaluated once with parameters of which only
// the names are known: findings there rest on names (domain.NameOnly) unless the
// body alone proves them.
//
// # Joins, loops, termination
//
// Statements are interpreted in program order over an environment of places
// (x, self.x, batch["logp"]). Branches are joined; a loop is repeated until its
// entry environment stops changing. The lattice is finite and a loop remembers
// the entry it saw last, so nested loops cost about one extra pass a level
// rather than two to the depth. Every bound (depth, contexts of a function,
// rounds, work) is counted in [Stats] when it is hit: lost precision shows.
//
// # What is approximated
//
// The heap is flow-insensitive: an attribute or item that is written through
// one name is joined into its object, and strongly updated only under the name
// it was written through. Unknown calls change nothing (a missed bug is better
// than an invented one). No aliasing analysis, no monkey-patching, no exec.
//
// Input: a module's syntax tree, the library tables, and the modules it
// imports. Output: a [Result]. The package reports nothing.
package infer
