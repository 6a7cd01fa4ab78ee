// Package domain is the lattice of RL quantities: what rlvet can know of a value.
//
// Purpose: the vocabulary in which the library tables, inference and rules speak.
// Input: constants, and values that are joined or computed with. Output: [Value].
// Limits: it knows no syntax and no function of any library.
//
// # May and must
//
// A Value stands for a set of run-time values; the more it allows, the higher it
// is. Bottom, the zero Value, allows nothing: no value gets here. [Unknown], the
// top, allows everything. Where control flow meets, values are joined, and the
// result allows what either allowed; so a claim about a value holds on every path,
// and v.Is(Logits) is a *must*: each kind that v may be is among those asked for.
// v.May(Logits) says only that v is known to be logits on some path. Rules report on
// Is; an unknown value is neither.
//
// # A product of small parts
//
// Each part is a finite lattice of its own, and the product is joined part by
// part. So every chain is short and loops converge without widening. The parts
// say different things and fail apart: the kind of a value may be unknown and its
// range still prove that a division is safe. The struct is comparable, so
// equality is ==, and memo tables can use values as keys.
//
// # Evidence
//
// What a claim rests on is part of the value: a library's documentation, a
// derivation through the program, a user's annotation, or a mere name. Names
// are right too seldom to report on (a variable called prob comes from a softmax
// once in five times), and too often to throw away, so they enter as the weakest
// evidence, and every value computed from them carries that.
//
// # What is approximated
//
// Ranges have five bounds, and "bounded away from 0" has no margin. A kind with
// more than four members is unknown. Shapes keep a bounded number of dimensions. A
// log-prob has no sign: densities of continuous distributions exceed 1.
package domain
