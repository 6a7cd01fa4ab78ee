//go:build !cgo

package compiler

var _ = rlvet_needs_a_C_compiler__install_gcc_or_clang_and_set_CGO_ENABLED_to_1
