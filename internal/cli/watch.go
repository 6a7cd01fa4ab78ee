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
	"github.com/rlvet/rlvet/internal/paths"
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
		if err := fresh.round(ctx, watcher, paths); err != nil {
			s.errorf("%v", err)
		}
		fmt.Fprintln(s.Stderr, "Watching for changes; stop with Ctrl-C.")
		if !await(ctx, watcher) {
			return nil
		}
	}
}

// round is one check with settings read anew. Folders are watched before they
// are read, so that no change falls between the two.
func (s *session) round(ctx context.Context, w *fsnotify.Watcher, paths []string) (err error) {
	if s.settings, err = s.resolver.For("."); err == nil {
		err = s.follow(w, paths)
	}
	if err != nil {
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

// follow watches the working directory, where settings are, and the folders of
// and below the paths.
func (s *session) follow(w *fsnotify.Watcher, paths []string) error {
	folders := map[string]bool{".": true}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, p := range paths {
		s.addFolders(folders, p)
	}
	for dir := range folders {
		if err := w.Add(dir); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("--watch: %s cannot be watched: %v", dir, err)
		}
	}
	return nil
}

// addFolders adds the folder of a file, or those at and below a folder that are
// not excluded.
func (s *session) addFolders(folders map[string]bool, path string) {
	filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // the check says what is wrong with it
		}
		if !d.IsDir() {
			folders[filepath.Dir(p)] = true
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
			if !e.Has(fsnotify.Chmod) && (config.Concerns(e.Name) || paths.IsFolder(e.Name)) {
				quiet = time.After(settle)
			}
		case <-w.Errors:
			quiet = time.After(settle) // an overflow: something changed
		case <-quiet:
			return true
		}
	}
}
