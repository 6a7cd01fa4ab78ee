package source

import (
	"fmt"
	"strings"
)

// A Reason classifies why a file cannot be checked.
type Reason int

// The reasons.
const (
	Missing     Reason = iota + 1 // no such file, dangling or looping link, vanished, not fetched
	NotAFile                      // directory, FIFO, socket, device
	Unreadable                    // permissions, input and output errors
	TooLarge                      // over MaxSize or MaxNotebookSize
	Binary                        // not text
	BadEncoding                   // unknown encoding, or bytes that are not in it
	BadNotebook                   // not JSON, or not nbformat 4
	Malformed                     // a configuration that its language does not allow
	NotPython                     // a notebook of another language: skipped, no failure
)

// An Error says in one line why a file cannot be checked and how to fix it.
type Error struct {
	Path    string
	Line    int    // 1-based, 0 where no line applies
	Message string // what is wrong; how to fix it
	Reason  Reason
	Err     error // the cause, if the system gave one
}

// Error returns PATH:LINE: what; how to fix, always on one line.
func (e *Error) Error() string {
	message := strings.Join(strings.Fields(e.Message), " ")
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Path, message)
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, message)
}

// Unwrap returns the system's error, so that errors.Is(err, fs.ErrNotExist) works.
func (e *Error) Unwrap() error { return e.Err }

// Skipped says that there was nothing to check, which is no failure.
func (e *Error) Skipped() bool { return e.Reason == NotPython }

// fail makes an Error of the file.
func (f *File) fail(reason Reason, line int, format string, args ...any) *Error {
	return &Error{Path: f.Path, Line: line, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// lineAt returns the 1-based line of an offset, counting \n, \r\n and \r.
func lineAt(text []byte, offset int) int {
	line := 1
	for i, c := range text[:min(offset, len(text))] {
		if c == '\n' || c == '\r' && !(i+1 < len(text) && text[i+1] == '\n') {
			line++
		}
	}
	return line
}
