// Package harness runs a training program under seeds and watches expressions in it.
//
// Purpose: evidence. A finding of a rule is a claim about an expression; the harness
// runs the program unmodified but for that expression, whose value passes through a
// probe, and says what was seen. It speaks of spans and probes only and never makes a
// finding of its own.
//
// Input: a [Plan]: the project, what to run, the seeds, the targets with the Python
// source of their probes, and the limits. Output: a [Report]: how each run ended and
// what each probe saw in it, with one verdict a target. A probe refutes by evaluations alone at which
// the mistake would have shown: docs/refuting.md says what each needs. Where the runs go is a [Launcher]'s
// to say; a run is a [Unit], and what comes of it is plain data.
//
// Limits: what runs in a container, or in a Python that is started with another
// environment (env={}, -I, -E), is not seen. Isolation is what the machine offers; the report
// says which was in force.
//
// # How a run goes
//
// Each run gets a process of its own in a group of its own, and a copy of the project
// to work in. Where nothing speaks against it, the process is forked from a Python that has
// imported torch (server.go). The Python side ([files]: py/rlvet_harness) finds the expression by its
// bytes, rewrites the tree of that file when it is imported, and reports on a pipe, a
// line of JSON an event. Python processes that the program starts are watched as well, and
// report on the same pipe (py/rlvet_harness/children.py). Package protocol defines what goes over it,
// and verdict.go what it comes to. When the run is over, or its time is, the whole group is
// killed, and so is whatever left the group: every process of the run has a mark in its
// environment by which it is found.
package harness
