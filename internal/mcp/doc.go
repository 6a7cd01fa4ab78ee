// Package mcp is `rlvet mcp`: the Model Context Protocol on two streams, for agents
// that write training code.
//
// Purpose: an agent asks, before a person reads its code, whether the mathematics
// holds. Input: calls of tools (check, rule, fix, confirm) and reads of the rules'
// pages. Output: answers short enough for a context window, as lines to read and as
// data (answer.go); what a person would be told on the command line is told to the
// agent as an error of the tool, so that it can fix its call.
//
// A call becomes a request of package vet or confirm, which the command line calls
// too, within the limits in Options. The protocol itself is the official SDK's.
//
// Limits: no file is ever written, and no program is run unless Options says so.
package mcp
