package cli

import "testing"

// TestRevision: what hooks and workflows pin exists: the tag of a released build, and the
// branch for a build that is of no release.
func TestRevision(t *testing.T) {
	defer func(v string) { release = v }(release)
	for version, want := range map[string]string{unreleased: "main", "0.4.2": "v0.4.2", "0.4.2+dirty": "v0.4.2"} {
		release = version
		if got := revision(); got != want {
			t.Errorf("the revision of %s is %q, want %q", version, got, want)
		}
	}
}
