package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Read reads the file at path. It never blocks: what is no regular file (after
// following links) is not opened. The error is an *Error.
func Read(path string) (*File, error) {
	raw, err := readRegular(path)
	if err != nil {
		return nil, err
	}
	return FromBytes(path, raw)
}

// readRegular returns the content of a regular file within the size limit.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, systemError(path, err)
	}
	if err := checkRegular(path, info); err != nil {
		return nil, err
	}
	// Between the two calls the file may have become a FIFO: open without
	// waiting for a writer, and look again.
	f, err := os.OpenFile(path, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return nil, systemError(path, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, systemError(path, err)
	}
	if err := checkRegular(path, info); err != nil {
		return nil, err
	}
	return readAll(path, f, info.Size())
}

// readAll reads f, of the expected size, and one byte over the limit at most.
func readAll(path string, f io.Reader, size int64) ([]byte, error) {
	buf := make([]byte, 0, size+1)
	for {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, systemError(path, err)
		}
		if err := checkSize(path, int64(len(buf))); err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// checkSize refuses what is over the limit of its kind.
func checkSize(path string, bytes int64) error {
	limit, fix := int64(MaxSize), "split it, or leave it out with exclude"
	switch {
	case LanguageOf(path).Configures():
		limit = MaxConfigurationSize
	case IsNotebook(path):
		limit, fix = MaxNotebookSize, "clear its outputs, or leave it out with exclude"
	}
	if bytes <= limit {
		return nil
	}
	size, unit := limit>>20, "MiB"
	if size == 0 {
		size, unit = limit>>10, "KiB"
	}
	return &Error{Path: path, Reason: TooLarge, Message: fmt.Sprintf("the file is larger than %d %s; %s", size, unit, fix)}
}

// checkRegular refuses directories, pipes, sockets and devices, and files that
// are too large to be read at all.
func checkRegular(path string, info fs.FileInfo) error {
	fail := func(message string) error {
		return &Error{Path: path, Reason: NotAFile, Message: message}
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return checkSize(path, info.Size())
	case mode.IsDir():
		return fail("this is a directory, not a file; name a file in it, or check the directory as a whole")
	case mode&fs.ModeNamedPipe != 0:
		return fail("this is a named pipe, not a file; to check a stream, pass - and pipe it to standard input")
	case mode&fs.ModeSocket != 0:
		return fail("this is a socket, not a file; name a Python file or a notebook")
	default:
		return fail("this is a device, not a file; name a Python file or a notebook")
	}
}

// systemError puts an error of the operating system into words.
func systemError(path string, err error) error {
	e := &Error{Path: path, Reason: Unreadable, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Reason, e.Message = Missing, missing(path)
	case errors.Is(err, syscall.ELOOP):
		e.Reason, e.Message = Missing, "the symbolic links of this path form a loop; remove one of them"
	case errors.Is(err, fs.ErrPermission):
		e.Message = "the file cannot be read: permission denied; change its mode or owner"
	case errors.Is(err, syscall.ENOTDIR):
		e.Reason, e.Message = Missing, "a part of this path is a file, not a directory; check the spelling"
	default:
		e.Message = fmt.Sprintf("the file cannot be read: %v; check the path and the disk", Cause(err))
	}
	return e
}

// Cause is what the system says of a file, without the operation and the path, which messages
// name already; an error that is not the system's is returned as it is.
func Cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// missing says what a path lacks: the file, or what its link points to.
func missing(path string) string {
	if target, err := os.Readlink(path); err == nil {
		return fmt.Sprintf("this symbolic link points to %s, which does not exist; fix or remove the link", target)
	}
	return "no such file; check the spelling, or whether it was removed meanwhile"
}
