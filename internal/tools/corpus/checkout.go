package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// repository is a line of repositories.txt.
type repository struct {
	name   string // owner/name on GitHub
	commit string
}

func (r repository) folder() string { return strings.ReplaceAll(r.name, "/", "+") }

var listLine = regexp.MustCompile(`^([\w.-]+/[\w.-]+) ([0-9a-f]{40})$`)

// readList reads the repositories, one a line; lines that begin with # are comments.
func readList(path string) ([]repository, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []repository
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := listLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%s:%d: %q is not OWNER/NAME and a commit of 40 digits", path, n, line)
		}
		out = append(out, repository{m[1], m[2]})
	}
	return out, nil
}

// checkout returns the folder below trees with the Python files of a repository's commit.
func checkout(ctx context.Context, r repository, mirror, trees string, clone bool) (string, error) {
	dir := filepath.Join(trees, r.folder())
	mark := filepath.Join(trees, "."+r.folder())
	if done, _ := os.ReadFile(mark); string(done) == r.commit {
		return dir, nil
	}
	git, err := gitDir(ctx, r, mirror, clone)
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := extract(ctx, git, r.commit, dir); err != nil {
		return "", fmt.Errorf("%s: %w", r.name, err)
	}
	return dir, os.WriteFile(mark, []byte(r.commit), 0o644)
}

// gitDir finds a clone in the mirror, or makes it.
func gitDir(ctx context.Context, r repository, mirror string, clone bool) (string, error) {
	for _, at := range []string{r.folder(), r.name} {
		for _, inner := range []string{"", ".git", "repo", "repo/.git"} {
			dir := filepath.Join(mirror, at, inner)
			if _, err := os.Stat(filepath.Join(dir, "objects")); err == nil {
				return dir, nil
			}
		}
	}
	if !clone {
		return "", fmt.Errorf("%s is not in %s; -clone gets it", r.name, mirror)
	}
	dir := filepath.Join(mirror, r.folder())
	if err := git(ctx, "", nil, io.Discard, "clone", "--quiet", "--bare", "https://github.com/"+r.name, dir); err != nil {
		return "", err
	}
	return dir, nil
}

// wanted are the files that a check may look at.
var wanted = regexp.MustCompile(`\.(py|ipynb)$|(^|/)(pyproject\.toml|setup\.cfg|requirements[^/]*\.txt)$`)

// extract writes the wanted files of a commit into dir. Links are left out: they can lead anywhere.
func extract(ctx context.Context, from, commit, dir string) error {
	var list bytes.Buffer
	if err := git(ctx, from, nil, &list, "ls-tree", "-r", "-z", commit); err != nil {
		return err
	}
	var blobs bytes.Buffer
	var paths []string
	for entry := range strings.SplitSeq(list.String(), "\x00") {
		meta, path, _ := strings.Cut(entry, "\t")
		if f := strings.Fields(meta); len(f) == 3 && f[1] == "blob" && f[0] != "120000" && wanted.MatchString(path) && filepath.IsLocal(path) {
			paths = append(paths, path)
			fmt.Fprintln(&blobs, f[2])
		}
	}
	var contents bytes.Buffer
	if err := git(ctx, from, &blobs, &contents, "cat-file", "--batch"); err != nil {
		return err
	}
	return unpack(bufio.NewReader(&contents), paths, dir)
}

// unpack writes what `git cat-file --batch` printed for some files.
func unpack(r *bufio.Reader, paths []string, dir string) error {
	for _, path := range paths {
		head, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		f := strings.Fields(head)
		if f[len(f)-1] == "missing" {
			continue
		}
		size, err := strconv.Atoi(f[len(f)-1])
		if err != nil {
			return err
		}
		text := make([]byte, size+1) // a line end follows
		if _, err := io.ReadFull(r, text); err != nil {
			return err
		}
		file := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text[:size], 0o644)); err != nil {
			return err
		}
	}
	return nil
}

func git(ctx context.Context, dir string, in io.Reader, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	if dir != "" {
		cmd.Args = append([]string{"git", "--git-dir", dir}, args...)
	}
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return nil
}
