package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/unanswered"
)

// maxMessage bounds a message, in bytes: a notebook of the largest size, as JSON.
const maxMessage = 256 << 20

// maxHeader bounds a line of a header, in bytes.
const maxHeader = 4096

// framing reads and writes messages with the protocol's headers. It implements
// jrpc2's channel.Channel, and differs from the one that comes with jrpc2 in what
// it does with headers that are wrong: each gives a message that is no JSON, which
// is answered by an error, and reading goes on at the next header.
type framing struct {
	in       *bufio.Reader
	out      io.WriteCloser
	end      func() // called when nothing more comes; jrpc2 hears of it afterwards
	requests *unanswered.Requests
}

func newFraming(in io.Reader, out io.WriteCloser, end func()) *framing {
	return &framing{bufio.NewReaderSize(in, 1<<16), out, end, unanswered.New()}
}

// jrpc2 answers a request that was cancelled before it began by an error of its own
// number; the protocol has another.
var (
	cancelledThere = []byte(`"error":{"code":-32097,`)
	cancelledHere  = []byte(`"error":{"code":-32800,`)
)

// Send writes one message.
func (f *framing) Send(message []byte) error {
	message = bytes.Replace(message, cancelledThere, cancelledHere, 1)
	_, err := f.out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(message)), message...))
	if id := answers(message); id != "" {
		f.requests.Answered(id)
	}
	return err
}

// Recv reads one message.
func (f *framing) Recv() ([]byte, error) {
	message, err := f.receive()
	if err != nil {
		f.end()
		return nil, err
	}
	if id := asks(message); id != "" {
		f.requests.Asked(id)
	}
	return message, nil
}

// asks is the id of a request, as it is written; "" of what gets no answer with one.
func asks(message []byte) string {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(message, &m) != nil || m.Method == "" || len(m.ID) == 0 || !strings.ContainsRune(`"-0123456789`, rune(m.ID[0])) {
		return ""
	}
	return string(m.ID)
}

// answers is the id of the request that a message of ours answers, "" of another. jrpc2 writes it
// first, so that nothing of a long answer is read here.
func answers(message []byte) string {
	rest, found := bytes.CutPrefix(message, []byte(`{"jsonrpc":"2.0","id":`))
	if !found {
		return ""
	}
	var id json.RawMessage
	d := json.NewDecoder(bytes.NewReader(rest))
	if d.Decode(&id) != nil || bytes.HasPrefix(rest[d.InputOffset():], []byte(`,"method":`)) {
		return "" // a request of ours has an id, too
	}
	return string(id)
}

func (f *framing) receive() ([]byte, error) {
	length, err := f.header()
	switch {
	case errors.Is(err, errHeader):
		return []byte(err.Error()), nil
	case err != nil:
		return nil, err
	case length > maxMessage:
		_, err := io.CopyN(io.Discard, f.in, int64(length))
		return fmt.Appendf(nil, "a message of %d bytes is too long", length), err
	}
	var message bytes.Buffer // it grows with what comes, not with what is announced
	_, err = io.CopyN(&message, f.in, int64(length))
	return message.Bytes(), err
}

// Close closes the output.
func (f *framing) Close() error { return f.out.Close() }

var errHeader = errors.New("a message has an invalid header")

// header reads a header up to its empty line and returns the length that it gives.
func (f *framing) header() (length int, err error) {
	length = -1
	for {
		line, err := f.line()
		switch {
		case err != nil:
			return 0, err
		case line == "" && length >= 0:
			return length, nil
		case line == "":
			continue // between messages
		}
		name, value, found := strings.Cut(line, ":")
		if !found {
			return 0, fmt.Errorf("%w: %.40q has no colon", errHeader, line)
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 {
			return 0, fmt.Errorf("%w: %.40q is no length", errHeader, line)
		}
	}
}

// line reads a line of a header without its end.
func (f *framing) line() (string, error) {
	var b strings.Builder
	for b.Len() < maxHeader {
		c, err := f.in.ReadByte()
		if err != nil {
			return "", err
		}
		if c == '\n' {
			return strings.TrimSuffix(b.String(), "\r"), nil
		}
		b.WriteByte(c)
	}
	return "", fmt.Errorf("%w: it is longer than %d bytes", errHeader, maxHeader)
}
