package integrations

import (
	"archive/zip"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// platforms are those of releases: in the words of GitHub's runner, in those of Go, and by
// the tag of the wheel.
var platforms = map[string]struct{ build, tag string }{
	"Linux-X64":   {"linux amd64", "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64"},
	"Linux-ARM64": {"linux arm64", "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64"},
	"macOS-ARM64": {"darwin arm64", "macosx_12_0_arm64"},
	"macOS-X64":   {"darwin amd64", "macosx_12_0_x86_64"},
	"Windows-X64": {"windows amd64", "win_amd64"},
}

// The action at a release takes the program of its platform from the archives that .ci/archives makes.
func TestActionInstalls(t *testing.T) {
	base := serve(t, release(t))
	for platform := range platforms {
		j := newJob(t)
		out, code := j.installs(platform, "RLVET_RELEASES="+base, "RLVET_ACTION_REF=v1.2.3")
		if want := "rlvet 1.2.3 for " + platform + "\n"; code != 0 || out != want {
			t.Errorf("%s: exit %d, not %q:\n%s", platform, code, want, out)
		}
		bin := filepath.Join(j.temp, "rlvet-bin")
		j.holds("path", bin+"\n")
		if got, want := j.left(), []string{"path", "rlvet-bin"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q is left, not %q", platform, got, want)
		}
		programs, err := filepath.Glob(filepath.Join(bin, "*"))
		if err != nil || len(programs) != 1 {
			t.Fatalf("%s: %q, %v", platform, programs, err)
		}
		if out := string(j.output(programs[0])); out != "rlvet 1.2.3 for "+platform+"\n" {
			t.Errorf("%s: the program says %q", platform, out)
		}
	}

	for _, asked := range []string{"v1.2.3", "1.2.3"} {
		j := newJob(t)
		if out, code := j.installs("Linux-X64", "RLVET_RELEASES="+base, "RLVET_ACTION_REF=main", "RLVET_VERSION="+asked); code != 0 || out != "rlvet 1.2.3 for Linux-X64\n" {
			t.Errorf("version %s, at a branch: exit %d\n%s", asked, code, out)
		}
	}
}

// What cannot be downloaded is said in one line, and nothing is installed.
func TestActionInstallFails(t *testing.T) {
	const archive = "rlvet-1.2.3-linux-x86_64.tar.gz"
	dir := release(t)
	base := serve(t, dir)
	down := httptest.NewServer(nil)
	down.Close()
	curl := t.TempDir() // says what it was asked for, and fails
	program(t, filepath.Join(curl, "curl"), "echo $* >&2; exit 6")

	for _, c := range []struct {
		why, platform string
		change        func()
		env           []string
		want          string
	}{
		{"of another platform", "Linux-ARM", nil, nil, "releases of rlvet have no program for Linux on ARM; use the action at a commit, which builds it"},
		{"of no release", "Linux-X64", nil, []string{"RLVET_VERSION=v9.9.9"}, base + "/v9.9.9/SHA256SUMS cannot be downloaded: curl: (22) The requested URL returned error: 404"},
		{"without a server", "Linux-X64", nil, []string{"RLVET_RELEASES=" + down.URL}, down.URL + "/v1.2.3/SHA256SUMS cannot be downloaded: curl: (7) "},
		{"from GitHub", "Linux-X64", nil, []string{"RLVET_RELEASES=", "PATH=" + curl + ":" + os.Getenv("PATH")}, "https://github.com/rlvet/rlvet/releases/download/v1.2.3/SHA256SUMS cannot be downloaded: --fail --location --proto =https --retry 3 "},
		{"changed", "Linux-X64", func() { put(t, filepath.Join(dir, archive), "changed") }, nil, base + "/v1.2.3/" + archive + " is not what was released: its SHA-256 is "},
		{"no archive", "Linux-X64", func() { sums(t, dir) }, nil, archive + " cannot be unpacked"},
		{"missing", "Linux-X64", func() { remove(t, filepath.Join(dir, archive)) }, nil, base + "/v1.2.3/" + archive + " cannot be downloaded: curl: (22) The requested URL returned error: 404"},
		{"not listed", "Linux-X64", func() { sums(t, dir) }, nil, "the release v1.2.3 of rlvet has no " + archive},
		{"a program that does not start", "macOS-X64", func() { remake(t, dir, "macOS-X64", "echo 'no such system, 100%' >&2; exit 1") }, nil, "the rlvet of rlvet-1.2.3-macos-x86_64.tar.gz does not start: no such system, 100%25"},
	} {
		if c.change != nil {
			c.change()
		}
		j := newJob(t)
		out, code := j.installs(c.platform, append([]string{"RLVET_RELEASES=" + base, "RLVET_ACTION_REF=v1.2.3"}, c.env...)...)
		if want := "::error title=rlvet::" + c.want; code != 2 || !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: exit %d, not 2 and %q:\n%s", c.why, code, want, out)
		}
		if left := j.left(); len(left) > 0 {
			t.Errorf("%s: %q is left", c.why, left)
		}
	}
}

// The action at anything but a release is built from its source, by this go.
func TestActionBuilds(t *testing.T) {
	stub := t.TempDir()
	program(t, filepath.Join(stub, "go"), `echo "GOBIN=$GOBIN go $*"`)
	for ref, asked := range map[string]string{"main": "", "v1": "", "v1.2.3-rc1": "", "4d3c1bbc0d53b0a0bd0a4b1a6a1e9a7b1c2d3e4f": "", "v1.2.3": "main"} {
		j := newJob(t)
		j.env = append(j.env, "PATH="+stub+":"+os.Getenv("PATH"), "RLVET_ACTION_REF="+ref, "RLVET_VERSION="+asked)
		if out, code := j.installs("Linux-X64"); code != 0 || out != "" {
			t.Fatalf("%s: exit %d\n%s", ref, code, out)
		}
		j.holds("output", "build=true\n")
		bin := filepath.Join(j.temp, "rlvet-bin")
		want := "GOBIN= go -C " + j.action + " build -trimpath -ldflags -s -w -o " + bin + "/rlvet ./cmd/rlvet\n"
		if asked != "" {
			want = "GOBIN=" + bin + " go install -trimpath -ldflags -s -w github.com/rlvet/rlvet/cmd/rlvet@main\n"
		}
		if out, code := j.step("build"); code != 0 || out != want {
			t.Errorf("%s: exit %d, not %q:\n%s", ref, code, want, out)
		}
		j.holds("path", bin+"\n")
	}
}

// installs runs the step of the action on a platform.
func (j *job) installs(platform string, env ...string) (string, int) {
	j.t.Helper()
	system, machine, _ := strings.Cut(platform, "-")
	return j.step("install", append([]string{"RUNNER_OS=" + system, "RUNNER_ARCH=" + machine}, env...)...)
}

// left is what lies in the folder of the job.
func (j *job) left() (names []string) {
	j.t.Helper()
	list, err := os.ReadDir(j.temp)
	if err != nil {
		j.t.Fatal(err)
	}
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

// release makes a release of programs that say their platform, and returns its folder.
func release(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"unzip", "curl", "sha256sum"} {
		if _, err := exec.LookPath(name); err != nil || runtime.GOOS != "linux" {
			lack(t, "REQUIRE_WHEEL", name+" is not here, or this is not Linux", "the action's download is NOT tried")
		}
	}
	dir := t.TempDir()
	for platform := range platforms {
		fakeWheel(t, dir, platform, "echo rlvet 1.2.3 for "+platform)
	}
	archives(t, dir)
	return dir
}

// remake exchanges the program of a platform.
func remake(t *testing.T, dir, platform, script string) {
	t.Helper()
	fakeWheel(t, dir, platform, script)
	archives(t, dir)
}

func archives(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.Command("../.ci/archives", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// sums writes the checksums of what is there now.
func sums(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "rm SHA256SUMS; sha256sum -- * >../sums && mv ../sums SHA256SUMS")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// fakeWheel makes what .ci/archives takes of a wheel.
func fakeWheel(t *testing.T, dir, platform, script string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "rlvet-1.2.3-py3-none-"+platforms[platform].tag+".whl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	name := "rlvet"
	if strings.HasPrefix(platform, "Windows") {
		name = "rlvet.exe"
	}
	w := zip.NewWriter(f)
	for name, text := range map[string]string{"rlvet-1.2.3.data/scripts/" + name: "#!/bin/sh\n" + script + "\n", "rlvet-1.2.3.dist-info/licenses/LICENSE": "as is"} {
		header := &zip.FileHeader{Name: name, Modified: time.Unix(1600000000, 0)}
		header.SetMode(0o755)
		member, err := w.CreateHeader(header)
		if err == nil {
			_, err = member.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// serve serves the folder of the release v1.2.3, and returns the address of all releases.
func serve(t *testing.T, dir string) string {
	t.Helper()
	server := httptest.NewServer(http.StripPrefix("/v1.2.3", http.FileServer(http.Dir(dir))))
	t.Cleanup(server.Close)
	return server.URL
}

// program writes a script.
func program(t *testing.T, path, script string) {
	t.Helper()
	put(t, path, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
