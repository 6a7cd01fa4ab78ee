// Package callback is the Python file that logs what an audit needs, for people whose trainer
// does not: a callback for transformers and TRL, and a plain function.
//
// The file is the user's to keep and to change, so it stands alone: the standard library of
// Python 3.9 to 3.14, one write a record, the first process only, and nothing that it does
// may end a training. What it writes is read by internal/audit/read; the names of metrics
// say quantity and unit (internal/audit/names).
// Limits: it sees what its caller gives it. Log-probs come only by the plain function.
package callback

import _ "embed"

// Python is the text of the file.
//
//go:embed rlvet_callback.py
var Python []byte
