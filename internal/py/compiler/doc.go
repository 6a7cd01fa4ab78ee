// Package compiler says in words what a build without a C compiler lacks.
//
// rlvet parses by tree-sitter, which is C. Without cgo Go leaves out the files that need
// it, and reports names that are not defined. This package then does not compile either,
// and its error says what to do. With cgo it is empty: no input, no output.
package compiler
