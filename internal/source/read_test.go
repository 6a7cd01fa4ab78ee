//go:build unix

package source

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "train.py")
	write(t, path, "x = 1\r")
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(f.Raw) != "x = 1\r" || string(f.Text) != "x = 1\n" || f.Path != path {
		t.Errorf("got %q from %q at %s", f.Text, f.Raw, f.Path)
	}
	link := filepath.Join(filepath.Dir(path), "link.py")
	symlink(t, path, link)
	if f, err = Read(link); err != nil || f.Path != link {
		t.Errorf("a link gave %v, %v", f, err)
	}
}

// What is no readable file gives a line that says so, at once and without
// touching a device.
func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("file.py"), "")
	if err := os.Mkdir(at("folder.py"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("fifo.py"), 0o644); err != nil {
		t.Fatal(err)
	}
	symlink(t, at("gone.py"), at("dangling.py"))
	symlink(t, at("b.py"), at("a.py"))
	symlink(t, at("a.py"), at("b.py"))
	symlink(t, at("fifo.py"), at("linked.py"))
	socket, err := net.Listen("unix", at("socket.py"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	write(t, at("large.py"), "")
	if err := os.Truncate(at("large.py"), 50<<20); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path   string
		reason Reason
		want   string
	}{
		{at("gone.py"), Missing, "no such file; check the spelling"},
		{at("file.py/x.py"), Missing, "a part of this path is a file"},
		{at("dangling.py"), Missing, "this symbolic link points to " + at("gone.py") + ", which does not exist"},
		{at("a.py"), Missing, "the symbolic links of this path form a loop"},
		{at("folder.py"), NotAFile, "this is a directory"},
		{at("fifo.py"), NotAFile, "this is a named pipe"},
		{at("linked.py"), NotAFile, "this is a named pipe"},
		{at("socket.py"), NotAFile, "this is a socket"},
		{os.DevNull, NotAFile, "this is a device"},
		{at("large.py"), TooLarge, "the file is larger than 10 MiB"},
	}
	for _, test := range tests {
		t.Run(filepath.Base(test.path), func(t *testing.T) {
			_, err := Read(test.path)
			checkError(t, err)
			e := err.(*Error)
			if e.Reason != test.reason || !strings.HasPrefix(e.Message, test.want) {
				t.Errorf("got %v (reason %d), want %q (reason %d)", err, e.Reason, test.want, test.reason)
			}
		})
	}
	if _, err := Read(at("gone.py")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not wrap fs.ErrNotExist", err)
	}
}

func TestReadWithoutPermission(t *testing.T) {
	err := systemError("a.py", &fs.PathError{Op: "open", Path: "a.py", Err: syscall.EACCES})
	checkError(t, err)
	if want := "a.py: the file cannot be read: permission denied; change its mode or owner"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	err = systemError("a.py", &fs.PathError{Op: "read", Path: "a.py", Err: syscall.EIO})
	checkError(t, err)
	if want := "a.py: the file cannot be read: input/output error; check the path and the disk"; runtime.GOOS == "linux" && err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// Files under /proc say that they have no bytes and have some.
func TestReadFileOfUnknownSize(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: there is no /proc on this system")
	}
	f, err := Read("/proc/self/status")
	if err != nil || !strings.HasPrefix(string(f.Text), "Name:") {
		t.Errorf("got %v, %v", f, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
}
