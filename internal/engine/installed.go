package engine

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// # Installed packages
//
// Where no file pins a package, the environment beside the program may hold it. What is installed is read off the names of the folders of
// metadata (trl-0.19.0.dist-info), each of which is of one version; nothing is imported.

// environments are the names that people give to the environment of a project.
var environments = []string{".venv", "venv", "env", ".env"}

// installedIn returns the packages of the environment in a folder, and their versions; nil where there is none.
func (d *demandsOf) installedIn(dir string) map[string]string {
	for _, name := range environments {
		if found := d.installed(filepath.Join(dir, name)); found != nil {
			return found
		}
	}
	return nil
}

// installed returns the packages of an environment. Of several Pythons in it nothing is known.
func (d *demandsOf) installed(environment string) map[string]string {
	sites := []string{filepath.Join(environment, "Lib", "site-packages")} // on Windows
	entries, err := d.fsys.ReadDir(filepath.Join(environment, "lib"))
	if err == nil {
		sites = nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "python3") {
			sites = append(sites, filepath.Join(environment, "lib", e.Name(), "site-packages"))
		}
	}
	if len(sites) != 1 {
		return nil
	}
	return d.packages(sites[0])
}

// packages returns what a folder of packages holds, by normalised name.
func (d *demandsOf) packages(site string) map[string]string {
	entries, err := d.fsys.ReadDir(site)
	if err != nil {
		return nil
	}
	out := map[string]string{}
	for _, e := range entries {
		stem, isInfo := strings.CutSuffix(e.Name(), ".dist-info")
		if name, version, ok := strings.Cut(stem, "-"); ok && isInfo {
			out[normalised(name)] = version
		}
	}
	return out
}

// normalised is the name of a package as all its spellings have it.
func normalised(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "_", ".", "_").Replace(name))
}

// activated is what the environment holds that is active.
func (d *demandsOf) activated() *demands {
	out := &demands{}
	if dir := os.Getenv("VIRTUAL_ENV"); dir != "" {
		out.installed = d.installed(dir)
	}
	out.digest = Key(sha256.Sum256([]byte(listed(out.installed))))
	return out
}

// listed is what is installed as one text.
func listed(packages map[string]string) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		fmt.Fprintf(&out, "%s==%s\n", name, packages[name])
	}
	return out.String()
}
