// Package query is what rules ask of the value graph: how a value was made, seen
// through views, helpers and calls (Seen, Term, Factors, LogRatio, Clip ...), what
// was made of it (Graph.UsesOf), and where (Place, Loop).
//
// Input: an infer.Result. Output: a Graph, which works out what takes time when it
// is first asked, and values of it. Nothing here is about one program as a whole:
// that is rl/roles. Limits: every walk is bounded, and what is not known is no value,
// never a guess.
package query
