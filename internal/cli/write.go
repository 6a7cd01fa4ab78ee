package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rlvet/rlvet/internal/source"
)

// writeFile replaces a file as a whole or not at all. A link stays one, and a
// device or pipe, /dev/null among them, is written to and not replaced.
func writeFile(path string, data []byte) error {
	target, stream, err := destination(path)
	switch {
	case err != nil:
	case stream:
		err = writeStream(target, data)
	default:
		err = replaceFile(target, data)
	}
	return notWritten(path, err)
}

// writeOutput writes what goes to the file of a flag; nothing where its path is "".
func writeOutput(flag, path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if err := writeFile(path, b.Bytes()); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// writable returns the error with which writeFile would fail now, if any.
func writable(path string) error {
	target, stream, err := destination(path)
	if err == nil && !stream { // what is no file is opened when it is written to
		err = tryBeside(target)
	}
	return notWritten(path, err)
}

// destination is where a path leads, links followed, and whether that is a device or a
// pipe.
func destination(path string) (target string, stream bool, err error) {
	target = path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	switch {
	case err != nil: // there is none yet
		return target, false, nil
	case info.IsDir():
		return target, false, errors.New("it is a directory")
	}
	return target, !info.Mode().IsRegular(), nil
}

// notWritten says of which file an error is, without the path of a temporary one.
func notWritten(path string, err error) error {
	if err != nil {
		return fmt.Errorf("%s cannot be written: %v", path, source.Cause(err))
	}
	return nil
}

// writeStream writes to what is no file.
func writeStream(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
