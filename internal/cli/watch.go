package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/rlvet/rlvet/internal/config"
)

// settle is how long a tree must be quiet before it is checked again: editors
// write a file in several steps.
const settle = 150 * time.Millisecond

// watch checks, and checks again whenever a Python file or a settings file
// changes, until the context ends. Mistakes in settings are reported and waited
// for: they are being edited.
func (s *session) watch(ctx context.Context, paths []string) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("--watch: the system cannot watch files: %v", err)
	}
	defer watcher.Close()
	for {
		s.clear()
		fresh := *s
		fresh.resolver = s.resolver.Fresh()
		if err := fresh.round(ctx, paths); err != nil {
			s.errorf("%v", err)
		}
		if err := s.follow(watcher, &fresh, paths); err != nil {
			return err
		}
		fmt.Fprintln(s.Stderr, "Watching for changes; stop with Ctrl-C.")
		if !await(ctx, watcher) {
			s.exit = fresh.exit
			return nil
		}
	}
}

// round is one check with settings read anew.
func (s *session) round(ctx context.Context, paths []string) (err error) {
	if s.settings, err = s.resolver.For("."); err != nil {
		return err
	}
	return s.once(ctx, paths)
}

// clear clears a terminal.
func (s *session) clear() {
	if s.IsTerminal(s.Stdout) {
		fmt.Fprint(s.Stdout, "\x1b[2J\x1b[H")
	}
}

// follow watches the folders of all files that were checked, and those named:
// new files appear there.
func (s *session) follow(w *fsnotify.Watcher, checked *session, paths []string) error {
	folders := map[string]bool{".": true}
	for _, in := range checked.inputs {
		folders[filepath.Dir(in.Path)] = true
	}
	for _, p := range append(paths, ".") {
		addFolders(folders, p, checked)
	}
	for dir := range folders {
		if err := w.Add(dir); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("--watch: %s cannot be watched: %v", dir, err)
		}
	}
	return nil
}

// addFolders adds the folders below a path that are not excluded.
func addFolders(folders map[string]bool, path string, s *session) {
	filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		abs, _ := filepath.Abs(p)
		if p != path && s.settings.Excludes(abs) {
			return fs.SkipDir
		}
		folders[p] = true
		return nil
	})
}

// await returns true after a change that concerns us, false when ctx ends.
func await(ctx context.Context, w *fsnotify.Watcher) bool {
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
		case e, ok := <-w.Events:
			if !ok {
				return false
			}
			if config.Concerns(e.Name) && !e.Has(fsnotify.Chmod) {
				quiet = time.After(settle)
			}
		case <-w.Errors:
			quiet = time.After(settle) // an overflow: something changed
		case <-quiet:
			return true
		}
	}
}
