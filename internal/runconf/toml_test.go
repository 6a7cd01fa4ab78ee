package runconf

import (
	"strings"
	"testing"
)

func TestTOMLSettings(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"tables", "a = 1\n[b]\nc = 'x'\n[b.d]\ne = true\n", "a=1 b=? b.c=x b.d=? b.d.e=true"},
		{"dotted", "a.b = 1\n\"c\".'d' = 2.5e-6\n", "a.b=1 c.d=2.5e-6"},
		{"inline", "a = { b = 1, c = { d = 2 } }\n", "a.b=1 a.c.d=2"},
		{"lists", "a = [1, 'x', [2]]\nb = [\n  1, # one\n]\n", "a=[1,x,[2]] b=[1]"},
		{"array of tables", "[[e]]\nn = 1\nm = 4\n[e.f]\ng = 2\n[[e]]\nn = 2\nm = 4\n[z]\n", "e=[] e[].n=? e[].m=4 e[].f=? e[].f.g=2 z=?"},
		{"array in an array", "[[a]]\n[[a.b]]\nx = 1\n[[a]]\n[[a.b]]\nx = 1\n", "a=[] a[].b=[] a[].b[].x=1"},
		{"inline tables in a list", "e = [{ n = 1 }, { n = 1, m = 2 }]\n", "e=[?,?] e[].n=1 e[].m=2"},
		{"templates", "a = \"{{ lr }}\"\nb = \"$HOME\"\nc = \"None\"\n", "a=? b=? c=?"},
		{"dates", "a = 2026-01-02\nb = 07:32:00\n", "a=? b=?"},
		{"empty", "# nothing\n", ""},
	} {
		docs, err := TOML([]byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got := ""
		for _, d := range docs {
			got += shown(d)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A setting stands where its key and its value stand, of a long one as far as its first line.
func TestTOMLPlaces(t *testing.T) {
	in := "# größer\n[a.b]\nlr = 1e-6   # é\n\"é\" = 'x'\nlist = [\n  1,\n]\n[[c]]\n"
	docs, err := TOML([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range docs[0].Settings {
		got = append(got, in[s.At.Start:s.At.End])
	}
	if s := strings.Join(got, "|"); s != "a.b|lr = 1e-6|\"é\" = 'x'|list = [|c" {
		t.Errorf("places %q", s)
	}
}

// What is no TOML, and what no person writes, is refused in one line that says where.
func TestTOMLRefuses(t *testing.T) {
	many := strings.Repeat("x.y.z = 1\n", MaxSettings+1) + "[[a]]\n" + strings.Repeat("[[a.b]]\nc = 1\n", MaxSettings)
	for _, c := range []struct {
		name, in string
		line     int
	}{
		{"no value", "a = 1\nb =\n", 2},
		{"open", "a = [1,\n", 0},
		{"yaml", "a: 1\n", 1},
		{"deep", "a = " + strings.Repeat("{ a = ", 500) + "1" + strings.Repeat(" }", 500), 1},
		{"brackets", "a = " + strings.Repeat("[", 20000), 0},
		{"jinja", "{% if x %}\na = 1\n{% endif %}\n", 1},
		{"many", many, MaxSettings + 1},
	} {
		_, err := TOML([]byte(c.in))
		e, ok := err.(*Error)
		if !ok || strings.Contains(e.Message, "\n") || c.line > 0 && e.Line != c.line {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
