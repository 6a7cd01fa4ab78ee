package source

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// checkError makes sure that an error is of one line, with a path and a remedy.
func checkError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *Error", err)
	}
	line := e.Error()
	if strings.ContainsAny(line, "\r\n") || !strings.HasPrefix(line, e.Path+":") || !strings.Contains(line, "; ") || e.Reason == 0 {
		t.Fatalf("not a clear line: %q, reason %d", line, e.Reason)
	}
}

// checkText makes sure that text is what a parser may be given.
func checkText(t *testing.T, text []byte) {
	t.Helper()
	rest := bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 || bytes.IndexByte(rest, '\r') >= 0 {
		t.Fatalf("not fit for the parser: %q", text)
	}
}
