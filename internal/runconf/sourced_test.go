package runconf

import (
	"strings"
	"testing"
)

// aroundOf is a project in memory, with the script run.sh in its folder scripts.
func aroundOf(files map[string]string) *Around {
	return &Around{Path: "/p/scripts/run.sh", Root: "/p", Read: func(path string) []byte {
		if text, ok := files[path]; ok {
			return []byte(text)
		}
		return nil
	}}
}

// A script is read with those that it sources, by whatever way it names them.
func TestSourced(t *testing.T) {
	around := aroundOf(map[string]string{
		"/p/scripts/args.sh":   "N=4\nA=(--x $N)\nf() { run \"$@\" --f; }\n",
		"/p/scripts/cycle.sh":  "N=5\nsource cycle.sh\nsource /p/scripts/run.sh\n",
		"/p/scripts/broken.sh": "N=6\nif\n",
		"/p/lib/chain.sh":      "source \"$(dirname \"${BASH_SOURCE[0]}\")/inner.sh\"\n",
		"/p/lib/inner.sh":      "N=7\n",
		"/secret.sh":           "N=8\n",
		"/p/scripts/run.sh":    "source cycle.sh\n",
	})
	for _, c := range []struct{ in, want string }{
		{"source args.sh", "4"}, {". ./scripts/args.sh", "4"}, {"source \"$(dirname $0)/args.sh\"", "4"},
		{"D=\"$(cd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")\" &>/dev/null && pwd)\"\nsource \"${D}/args.sh\"", "4"},
		{"source ${BASH_SOURCE[0]%/*}/args.sh", "4"}, {"source $(realpath ${0})/../args.sh", "4"},
		{"cd $(git rev-parse --show-toplevel)\nsource $(pwd)/scripts/args.sh", "4"},
		{"source /srv/work/p/scripts/args.sh", "4"}, {"source cycle.sh", "?"}, {"source ../lib/chain.sh", "7"},
		{"source broken.sh", "?"}, {"N=1\nsource missing.sh", "?"}, {"source /secret.sh", "?"}, {"source ../../secret.sh", "?"},
		{"source \"$PWD/scripts/args.sh\"", "4"}, {"PWD=/gone\nsource $PWD/args.sh", "?"},
		{"if x; then source args.sh; fi", "?"}, {"source $X/args.sh", "?"},
	} {
		s, err := Shell([]byte(c.in+"\nrun $N\n"), around)
		if err != nil {
			t.Fatal(err)
		}
		word := s.Commands[len(s.Commands)-1].Words[1]
		got := word.Text
		if !word.Known {
			got = "?"
		}
		if got != c.want {
			t.Errorf("%s: N is %q, want %q", c.in, got, c.want)
		}
	}
	s, err := Shell([]byte("source args.sh\nf \"${A[@]}\" $N\n"), around)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range s.Commands[0].Words {
		got = append(got, w.Text+"@"+w.At.File+"<"+w.From.File)
	}
	want := "run@/p/scripts/args.sh<|--x@/p/scripts/args.sh<|4@/p/scripts/args.sh</p/scripts/args.sh|4@</p/scripts/args.sh|--f@/p/scripts/args.sh<"
	if strings.Join(got, "|") != want {
		t.Errorf("places %q, want %q", got, want)
	}
}

// Scripts that source each other many times over come to an end.
func TestSourcedWithoutEnd(t *testing.T) {
	around := aroundOf(map[string]string{"/p/scripts/a.sh": strings.Repeat("source a.sh\n. b.sh\n", 200), "/p/scripts/b.sh": strings.Repeat("source a.sh\n", 200)})
	if _, err := Shell([]byte("source a.sh\n"), around); err != nil {
		t.Error(err)
	}
}
