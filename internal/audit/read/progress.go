package read

import "io"

// counted is a reader that tells how much was read.
type counted struct {
	io.Reader
	seen func(n int)
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if c.seen != nil {
		c.seen(n)
	}
	return n, err
}

// progress returns what files tell how much of them was read; nil where nobody asks. A file
// that is looked at twice counts twice, so the total is never passed.
func progress(tell func(done, total int64), files []candidate) func(n int) {
	if tell == nil {
		return nil
	}
	var done, total int64
	for _, f := range files {
		total += f.size
	}
	return func(n int) {
		done += int64(n)
		tell(min(done, total), total)
	}
}
