// Package editors tries `rlvet server` in the editors that people have: Neovim and
// Emacs, by their own clients. What is tested lies in testdata; how to set up these
// and other editors stands in the README.
package editors
