// Package lsp is `rlvet server`: the Language Server Protocol 3.17 on two streams.
//
// Purpose: what `rlvet check` finds, shown in an editor while people type, with
// fixes, explanations and what rlvet knows of each value. Input: the client's
// messages and, for what is not open, the files of its folders. Output: messages
// to the client; no file is ever written, and no program is run unless the user
// asks for it and says yes when asked again.
//
// # How it works
//
// Handlers of notifications change the state (state.go) and return at once. One
// goroutine checks (check.go): whenever the state has a new revision, it drops the
// check at hand and begins with what people look at, the open files and those
// modules that last had something to say about them; when the user pauses, the
// rest of the program follows. What a check learns is kept for the next one
// (engine.Cache), so that a keystroke costs the parse of one statement, and the
// evaluation of one module and of the open ones that import it. Requests that need
// findings wait until there are some for the very text that the client has, so
// nothing stale is ever shown.
//
// Texts of the client, cells of notebooks among them, become source.Files like
// those of the disk (document.go, notebook.go), and findings are judged as on the
// command line (package vet); what differs is only how they are shown.
//
// Two things are not of the protocol: settings of the editor alone (settings.go), and
// rlvet/evidence, the page of a run, for a client that says it shows such pages
// (command.go). Lenses, too, are offered only to a client that shows them.
//
// Limits: a client that cannot watch files is served by looking at the disk again
// whenever its user pauses. Notebooks opened as JSON text are not checked.
package lsp
