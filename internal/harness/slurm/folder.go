package slurm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rlvet/rlvet/internal/harness"
)

// # The job folder
//
//	WORK/KEY/            all of one plan; KEY is a digest of what the results depend on
//	    lock             held by the program that submits
//	    rlvet            this program
//	    project-0/NAME   the snapshot of a project
//	    batch-KEY/       one call of Launch
//	        batch.json   its plans and units
//	        arrays       the numbers of its arrays, a line each
//	        log-3.txt    what the third task of an array wrote
//	        result-3.json
//
// Only the user may look into it.

// folder is the job folder.
type folder struct {
	path     string
	lock     *os.File
	projects map[string]string // the snapshot, by the project's own folder
}

// openFolder opens the job folder of the units below work, and makes it where it is not
// there. Units of later calls belong to it too.
func openFolder(work string, units []harness.Unit) (*folder, error) {
	if err := outside(work, units); err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	key, err := keyOf(program, units)
	if err != nil {
		return nil, err
	}
	f := &folder{path: filepath.Join(work, key), projects: map[string]string{}}
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return nil, fmt.Errorf("--work-dir: %w", err)
	}
	if f.lock, err = lock(f.path); err != nil {
		return nil, err
	}
	if f.lock == nil {
		return nil, fmt.Errorf("another rlvet is running this plan, in %s; wait for it to end", f.path)
	}
	sweep(work)
	return f, once(filepath.Join(f.path, "rlvet"), func(to string) error { return copyProgram(program, to) })
}

// outside returns an error where work is in a project: the project is left as it is, and a
// snapshot must not hold itself.
func outside(work string, units []harness.Unit) error {
	real := work
	for {
		if followed, err := filepath.EvalSymlinks(real); err == nil {
			real = filepath.Join(followed, strings.TrimPrefix(work, real))
			break
		}
		real = filepath.Dir(real) // this part is not there yet
	}
	for _, u := range units {
		if rel, err := filepath.Rel(u.Plan.Root, real); err == nil && filepath.IsLocal(rel) {
			return fmt.Errorf("the folder for jobs, %s, is in the project %s; give a --work-dir outside of it", work, u.Plan.Root)
		}
	}
	return nil
}

// keyOf is a digest of all that the results of units depend on.
func keyOf(program string, units []harness.Unit) (string, error) {
	h := sha256.New()
	file, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	seen := map[string]bool{}
	for _, u := range units {
		if !seen[u.Plan.Root] {
			seen[u.Plan.Root] = true
			if err := harness.DigestProject(u.Plan.Root, h); err != nil {
				return "", err
			}
		}
	}
	err = json.NewEncoder(h).Encode(describe(units))
	return short(h.Sum(nil)), err
}

func short(digest []byte) string { return hex.EncodeToString(digest)[:16] }

// project returns the snapshot of a project, making it where it is not there.
func (f *folder) project(root string, limit int64) (string, error) {
	if _, ok := f.projects[root]; !ok {
		dir := filepath.Join(f.path, fmt.Sprintf("project-%d", len(f.projects)))
		err := once(dir, func(to string) error { return harness.CopyProject(root, filepath.Join(to, filepath.Base(root)), limit) })
		if err != nil {
			return "", err
		}
		f.projects[root] = filepath.Join(dir, filepath.Base(root))
	}
	return f.projects[root], nil
}

// once makes a file or folder as a whole or not at all, unless it is there.
func once(path string, make func(to string) error) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	half := path + ".half"
	if err := os.RemoveAll(half); err != nil {
		return err
	}
	if err := make(half); err != nil {
		return err
	}
	return os.Rename(half, path)
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// close gives the folder up, and removes it unless it is kept for another start and has a
// result.
func (f *folder) close(keep bool) error {
	defer f.lock.Close()
	if results, _ := filepath.Glob(filepath.Join(f.path, "batch-*", "result-*.json")); keep && len(results) > 0 {
		return nil
	}
	err := os.RemoveAll(f.path)
	for range 10 {
		if err == nil {
			break
		}
		time.Sleep(time.Second) // a task that ends holds its files yet
		err = os.RemoveAll(f.path)
	}
	return err
}

// keptFor is how long the folder of a plan that was interrupted is kept.
const keptFor = 30 * 24 * time.Hour

var keyPattern = regexp.MustCompile(`^[0-9a-f]{16}$`)

// sweep removes job folders that nobody has come back to.
func sweep(work string) {
	entries, _ := os.ReadDir(work)
	for _, e := range entries {
		info, err := e.Info()
		dir := filepath.Join(work, e.Name())
		if err != nil || !e.IsDir() || !keyPattern.MatchString(e.Name()) || time.Since(info.ModTime()) < keptFor {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "lock")); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if held, err := lock(dir); err == nil && held != nil {
			os.RemoveAll(dir)
			held.Close()
		}
	}
}
