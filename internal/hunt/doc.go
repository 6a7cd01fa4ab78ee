// Package hunt finds out why a training program turns non-finite under some seeds, or
// learns from a wrong gradient.
//
// Purpose: from "it turns NaN sometimes" to the operation, the line and the module whose
// value or gradient is the first bad one, and to a fix that is tried under the same seeds.
//
// Input: a [Request]: a script or a module, and how it is run. Output: a [Result], which is
// plain data: the command line writes it as text and JSON, and the post-mortem and the
// regression test are made of it.
//
// Limits: what happens inside of a compiled graph or of a kernel of one's own is seen at
// its borders only. A run that never fails proves little; the bound says how little.
package hunt
