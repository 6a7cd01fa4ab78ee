package read

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
)

// isArray reports whether it is a JSON array.
func isArray(f candidate) bool {
	return path.Ext(f.name()) == ".json" && bytes.HasPrefix(bytes.TrimSpace(f.head), []byte("["))
}

// readArray reads an array of objects, one a step or one a completion.
func readArray(ctx context.Context, c *collector, f candidate) error {
	r, err := f.text()
	if err != nil {
		return errors.New(trouble(err))
	}
	defer r.Close()
	l, texts := c.newLog(f, "json"), c.newTexts(f, "json")
	d := newDocument(r)
	err = d.array(func() error {
		o, err := d.value()
		if err == nil && o.IsObject() {
			l.putRow(o, texts)
		}
		return cmp.Or(err, ctx.Err())
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.note(l, err)
	return c.keepEither(l, texts)
}
