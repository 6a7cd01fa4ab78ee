package parse

// #include "export.h"
import "C"

import (
	"errors"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// flatNode is one visible node of tree-sitter's tree. The nodes of a file lie in
// pre-order in one slice, so a node's first child is the next element and its
// next sibling is the element at next. C's flat_node has the same layout.
type flatNode struct {
	symbol     uint16
	field      field
	flags      uint8
	start, end uint32 // bytes
	parent     uint32 // index; the root is its own parent
	next       uint32 // one past the last descendant
}

const (
	flagNamed   = C.FLAT_NAMED
	flagMissing = C.FLAT_MISSING
	flagExtra   = C.FLAT_EXTRA
	flagError   = C.FLAT_ERROR // is or contains an error
)

// handle is tree-sitter's own handle of a node, with which the binding's Node
// begins. It is copied out, since C must not see the Go pointer that follows.
type handle struct {
	context  [4]uint32
	id, tree unsafe.Pointer // to C memory
}

// maxKeptNodes bounds the arena that a parser keeps from one file to the next.
const maxKeptNodes = 1 << 20

var errExport = errors.New("the parser's tree could not be read")

// The C and the Go struct are one and the same.
var _ [unsafe.Sizeof(flatNode{})]struct{} = [C.sizeof_flat_node]struct{}{}

// export writes the tree under root into the arena, which grows as needed, and
// returns the filled part.
func export(root *sitter.Node, arena []flatNode) ([]flatNode, error) {
	if cap(arena) == 0 {
		arena = make([]flatNode, 0, 1<<12)
	}
	h := *(*handle)(unsafe.Pointer(root))
	for range 2 {
		n := C.rlvet_export(unsafe.Pointer(&h), (*C.flat_node)(unsafe.Pointer(unsafe.SliceData(arena))), C.uint32_t(cap(arena)))
		switch {
		case n < 0:
			return nil, errExport
		case int(n) <= cap(arena):
			return arena[:n], nil
		}
		arena = make([]flatNode, 0, int(n)+int(n)/8)
	}
	return nil, errExport
}
