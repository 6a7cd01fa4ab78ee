package read

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/tidwall/gjson"
)

// document reads one large JSON value piece by piece.
type document struct {
	d     *json.Decoder
	limit *recordLimit
}

func newDocument(r io.Reader) *document {
	limit := &recordLimit{r: newPythonJSON(r)}
	return &document{json.NewDecoder(limit), limit}
}

// recordLimit fails where one piece is larger than memory should hold.
type recordLimit struct {
	r    io.Reader
	read int
}

var errLarge = fmt.Errorf("holds a value of more than %d MB", maxRecord>>20)

func (l *recordLimit) Read(to []byte) (int, error) {
	if l.read > maxRecord {
		return 0, errLarge
	}
	n, err := l.r.Read(to)
	l.read += n
	return n, err
}

// object calls field for each key of an object; field must read the value.
func (d *document) object(field func(key string) error) error {
	if err := d.open('{'); err != nil {
		return err
	}
	for d.d.More() {
		key, err := d.d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := field(name); err != nil {
			return err
		}
	}
	_, err := d.d.Token()
	return err
}

// array calls element for each element; it must read the value.
func (d *document) array(element func() error) error {
	if err := d.open('['); err != nil {
		return err
	}
	for d.d.More() {
		d.limit.read = 0
		if err := element(); err != nil {
			return err
		}
	}
	_, err := d.d.Token()
	return err
}

var errShape = errors.New("is not of the shape that this format has")

func (d *document) open(want json.Delim) error {
	t, err := d.d.Token()
	if err == nil && t != want {
		return errShape
	}
	return err
}

// value reads a value as a whole.
func (d *document) value() (gjson.Result, error) {
	var raw json.RawMessage
	if err := d.d.Decode(&raw); err != nil {
		return gjson.Result{}, err
	}
	return gjson.ParseBytes(raw), nil
}

func (d *document) skip() error {
	_, err := d.value()
	return err
}

// note says why reading ended, where it ended too early.
func (d *document) note(l *log, err error) {
	switch {
	case err == nil:
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		l.Bad++
		l.note("ends in the middle of a record: what came before was read")
	case errors.Is(err, errShape):
		l.note("%v", err)
	default:
		l.Bad++
		l.note("is damaged at byte %s: what came before was read (%v)", strconv.FormatInt(d.d.InputOffset(), 10), err)
	}
}
