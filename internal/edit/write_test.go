//go:build unix

package edit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rlvet/rlvet/internal/source"
)

// edited writes raw to a file, reads it and replaces x by y.
func edited(t *testing.T, path, raw string) *source.File {
	t.Helper()
	if err := os.WriteFile(path, []byte(raw), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := source.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	after, err := ApplyFile(f, []Edit{at(t, f, "x", "y\nz")})
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.py")
	f := edited(t, path, "\xEF\xBB\xBFa\r\nx\r\n")
	if os.Getuid() == 0 { // who alone can make files of other owners
		if err := os.Chown(path, 1234, 2345); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o750|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(f); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, path), "\xEF\xBB\xBFa\r\ny\r\nz\r\n"; got != want {
		t.Errorf("the file holds %q, want %q", got, want)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	was, is := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
	if after.Mode() != before.Mode() || is.Uid != was.Uid || is.Gid != was.Gid {
		t.Errorf("mode and owner were %v %d:%d and are %v %d:%d", before.Mode(), was.Uid, was.Gid, after.Mode(), is.Uid, is.Gid)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestWriteFileThroughALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real", "a.py"), filepath.Join(dir, "link.py")
	if err := os.Mkdir(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("real", "a.py"), link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(edited(t, link, "x\n")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if got := content(t, target); got != "y\nz\n" {
		t.Errorf("the target holds %q", got)
	}
}

// A file that must not be written keeps every byte, and the error says why.
func TestWriteFileRefuses(t *testing.T) {
	tests := []struct {
		name, raw string
		harm      func(path string) error
		want      string
	}{
		{"changed meanwhile", "x\n", func(path string) error { return os.WriteFile(path, []byte("x = 2\n"), 0o644) },
			"the file changed on disk while it was checked; run again"},
		{"removed meanwhile", "x\n", os.Remove,
			"the file was removed or moved while it was checked; run again"},
		{"became a directory", "x\n", func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
			"the file cannot be read again: not a regular file; run again"},
		{"read only", "x\n", func(path string) error { return os.Chmod(path, 0o444) },
			"the file is read only; make it writable (chmod u+w), or use --diff to see the fix"},
		{"an encoding with two spellings", "# coding: iso2022_jp\n'\x1b$B\x1b(B'\nx\n", func(string) error { return nil },
			"the file cannot be written back as iso2022_jp without changing other lines; save it as UTF-8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.py")
			f := edited(t, path, test.raw)
			if err := test.harm(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			err := WriteFile(f)
			var e *source.Error
			if !errors.As(err, &e) || e.Message != test.want {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("the file became %q", after)
			}
		})
	}
}

func TestWriteFileWithoutEditsDoesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.py")
	edited(t, path, "x\n")
	f, err := source.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	if err := WriteFile(f); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("an unchanged file was replaced")
	}
}

// No temporary file fits beside a file with a name of the greatest length.
func TestWriteFileWithoutRoomForATemporaryFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("a", 252)+".py")
	err := WriteFile(edited(t, path, "x\n"))
	if err == nil || !strings.HasSuffix(err.Error(), ".py: the fixed file cannot be written: file name too long; check the directory's mode and the disk") {
		t.Errorf("got %v", err)
	}
	if got := content(t, path); got != "x\n" {
		t.Errorf("the file became %q", got)
	}
}
