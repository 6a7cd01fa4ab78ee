package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/cache"
	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/paths"
)

// store returns what earlier checks kept, nil where nothing is to be kept. It lies in the
// user's folder for caches unless somebody names another. That there can be none is no
// mistake: the check is the same without it. That a named one cannot be written is said.
func (a *app) store(flags *checkFlags, resolver *config.Resolver) engine.Store {
	if flags.noCache || flags.statistics || a.Getenv("RLVET_NO_CACHE") != "" {
		return nil
	}
	settings, err := resolver.For(".")
	if err != nil {
		return nil // the check says so
	}
	dir, err := a.cacheFolder(settings)
	if err != nil {
		return nil
	}
	c, err := openCache(dir)
	if err != nil {
		if settings.CacheDir == dir && !flags.quiet {
			a.warnf("%s: the cache folder %v; the check goes on without it", settings.Origin("cache-dir"), notWritten(paths.Short(dir), err))
		}
		return nil
	}
	c.Trim() // at most once a day: what was not used for five days
	return diskStore{c}
}

// openCache opens the cache in a folder, and makes it where there is none. What it makes is
// marked as a cache: git and backups are to leave it out, wherever it lies.
func openCache(dir string) (*cache.Cache, error) {
	made := !paths.Exist(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if made {
		for name, text := range cacheMarks {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				return nil, err
			}
		}
	}
	if err := tryBeside(filepath.Join(dir, "x")); err != nil {
		return nil, err
	}
	return cache.Open(dir)
}

// cacheMarks are files by which tools know a cache.
var cacheMarks = map[string]string{
	".gitignore": "# Made by rlvet.\n*\n",
	"CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n" +
		"# This file is a cache directory tag made by rlvet.\n# For information about cache directory tags, see https://bford.info/cachedir/\n",
}

// cacheFolder is where checks are kept: --cache-dir, RLVET_CACHE_DIR, cache-dir of the
// settings, or a folder below that of the user's caches.
func (a *app) cacheFolder(settings *config.Settings) (string, error) {
	dir := a.Getenv("RLVET_CACHE_DIR")
	switch {
	case settings.CacheDir != "" && (dir == "" || settings.Origin("cache-dir") == "--cache-dir"):
		return settings.CacheDir, nil
	case dir != "":
		return filepath.Abs(dir)
	}
	if a.Getenv("HOME") == "" && a.Getenv("XDG_CACHE_HOME") == "" && a.Getenv("LocalAppData") == "" {
		return "", errors.New("there is no folder for caches; name one with RLVET_CACHE_DIR")
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Dir(base)); err != nil {
		return "", err // a home that does not exist is not made
	}
	return filepath.Join(base, "rlvet", "check"), nil
}

// diskStore is a cache in a folder, as Go's own: each entry is checked when it is read,
// and several processes may use it at a time.
type diskStore struct{ *cache.Cache }

// Load returns an entry.
func (d diskStore) Load(key engine.Key) ([]byte, bool) {
	data, _, err := d.GetBytes(cache.ActionID(key))
	return data, err == nil
}

// Save keeps an entry if it can.
func (d diskStore) Save(key engine.Key, data []byte) { d.PutBytes(cache.ActionID(key), data) }

// identity names this program: another build may find something else.
var identity = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return version()
	}
	info, err := os.Stat(path)
	if err != nil {
		return version()
	}
	return fmt.Sprint(version(), " ", info.Size(), " ", info.ModTime().UnixNano())
})

func (a *app) cleanCommand() *cobra.Command {
	return &cobra.Command{
		Use: "clean", Short: "Remove the cache of earlier checks", Args: noArgs,
		Long: "Remove the cache of earlier checks. It is in the user's cache folder, or where cache-dir or RLVET_CACHE_DIR say, and holds the findings of files, keyed by digests of the file, of what it imports, of the rules and of rlvet itself.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.clean(cmd) },
	}
}

// clean removes the folders that the cache made, and nothing that it did not make.
func (a *app) clean(cmd *cobra.Command) error {
	resolver, err := (&settingsFlags{}).resolver(a, cmd) // as a check without flags has it
	if err != nil {
		return err
	}
	settings, err := resolver.For(".")
	if err != nil {
		return err
	}
	dir, err := a.cacheFolder(settings)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		_, err = fmt.Fprintf(a.Stdout, "There is no cache in %s.\n", dir)
		return err
	}
	if err != nil {
		return notWritten(dir, err)
	}
	for _, e := range entries {
		if name := e.Name(); !cacheEntry(name, e.IsDir()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return notWritten(dir, err)
		}
	}
	os.Remove(dir) // unless something else lies in it
	_, err = fmt.Fprintf(a.Stdout, "Removed the cache in %s.\n", dir)
	return err
}

// cacheEntry reports whether a name in the folder is one of the cache's: 256 folders of
// two digits, and notes.
func cacheEntry(name string, folder bool) bool {
	if !folder {
		return name == "trim.txt" || name == "README" || cacheMarks[name] != ""
	}
	var b byte
	n, err := fmt.Sscanf(name, "%02x", &b)
	return n == 1 && err == nil && len(name) == 2
}
