package runconf

import (
	"slices"
	"strings"
	"testing"
)

// TestComments: comments are those of bash, and one above a command without blocks holds for all of its lines.
func TestComments(t *testing.T) {
	text := `#!/bin/bash
# above

# and again
python train.py \\
  --name "a # b" --other 'c
# d' $#  # behind

  # in front of a loop
for i in 1 2; do # head
  # inside
  a && b \\
    | c
done
cat <<EOF
# in a document
EOF
# at the end
`
	all, ok := Comments([]byte(strings.ReplaceAll(text, `\\`, `\`)))
	if !ok {
		t.Fatal("bash reads it")
	}
	var got [][3]int
	for _, c := range all {
		got = append(got, [3]int{c.Row, c.First, c.Last})
	}
	want := [][3]int{{1, 5, 7}, {2, 5, 7}, {4, 5, 7}, {7, 0, 0}, {9, 0, 0}, {10, 0, 0}, {11, 12, 13}, {18, 0, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
	if _, ok := Comments([]byte("if a; then # open\n")); ok {
		t.Error("bash does not read it")
	}
}

// TestSameCommands: comments and blanks do not count, words do.
func TestSameCommands(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a b", "# c\na  b # d\n", true},
		{"a \\\n b\n", "a \\\n b # c\n", true},
		{"a \\\n b\n", "a \\ # c\n b\n", false},
		{"a='x\ny'\n", "a='x # c\ny'\n", false},
		{"a <<E\nx\nE\n", "a <<E\nx # c\nE\n", false},
		{"a", "a; if", false},
	} {
		if got := SameCommands([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

// TestDeepCommands: a script that chains commands without an end takes no time by the square.
func TestDeepCommands(t *testing.T) {
	text := []byte("# c\n{ a; }" + strings.Repeat(" && a", 20_000) + "\n")
	if all, ok := Comments(text); !ok || len(all) != 1 || all[0] != (Comment{End: 3, Row: 1, OwnLine: true, First: 2, Last: 2}) {
		t.Errorf("%+v %v", all, ok)
	}
}
