// Package read turns the folder that a training run left into a record.Run.
//
// In goes a folder: logs of many formats, completions, checkpoints, settings. Out come series
// of metrics with quantity and unit, samples of completions, and one line for everything that
// was damaged, ambiguous, or seen and not used.
//
// # How a file becomes series
//
// A file is opened as text or bytes (input.go: compression, encodings, a length fixed when it
// was opened, so that a growing file ends). A format (formats.go) recognises it by name and
// by its first bytes and hands its rows to a log (log.go). The log decides which column is the
// step (clock.go), orders the rows and finds restarts (lane.go), and adds to record.Series.
// When all files are read, those that tell the same are told apart from those of two runs
// (resolve.go), and the names are given their meaning by the trainer that logged them
// (package names).
//
// # Limits
//
// Files are read once, in one pass, in bounded memory: a record of at most 32 MiB, 8192
// points a series, 256 metrics with unknown names, 4096 logs, 64 MiB of completions. Weights are never
// opened, nothing is unpickled, links are not followed, and nothing is written.
package read
