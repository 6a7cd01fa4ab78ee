package runconf

import (
	"fmt"
	"strings"
	"testing"
)

// shown writes settings as KEY=VALUE, and ? for what is not known.
func shown(d *Document) string {
	var out []string
	for _, s := range d.Settings {
		out = append(out, s.Key+"="+text(s.Value))
	}
	return strings.Join(out, " ")
}

func text(v Value) string {
	switch v.Kind {
	case Unknown:
		return "?"
	case Null:
		return "null"
	case List:
		var items []string
		for _, item := range v.Items {
			items = append(items, text(item))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return v.Text
}

func TestYAMLSettings(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nested", "a:\n  b: 1\n  c: [x, 2]\nd: ~\n", "a.b=1 a.c=[x,2] d=null"},
		{"merge", "base: &b {n: 1, m: 2}\nx:\n  <<: *b\n  n: 3\n", "base.n=1 base.m=2 x.n=1 x.m=2 x.n=3"},
		{"several documents", "a: 1\n---\nb: 2\n", "a=1; b=2"},
		{"duplicate", "a: 1\nb: 2\na: 3\n", "a=1 b=2 a=3"}, // the last one counts
		{"tab behind a value", "a:\t1\t# x\nb: 2\n", "a=1 b=2"},
		{"interpolation", "n: 4\na: ${n}\nb: ${a}\nc: ${oc.env:HOME}\nd: ${missing}\n", "n=4 a=4 b=4 c=? d=?"},
		{"template", "a: '{{ lr }}'\nb: 1\n", "a=? b=1"},
		{"variable", "a: $N\n", "a=?"},
		{"list only", "- a\n- b\n", ""},
		{"empty", "", ""},
	} {
		docs, err := YAML([]byte(c.in), 0, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []string
		for _, d := range docs {
			got = append(got, shown(d))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

// A setting stands where its key and its value stand, in characters of several bytes too.
func TestYAMLPlaces(t *testing.T) {
	in := "# größer\na:\n  lr: 1e-6   # é\n  \"é\": 'x'\n  beta:\n    0.1\n"
	docs, err := YAML([]byte(in), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range docs[0].Settings {
		got = append(got, in[s.At.Start:s.At.End])
	}
	if s := strings.Join(got, "|"); s != `lr: 1e-6|"é": 'x'|beta` {
		t.Errorf("places %q", s)
	}
}

// What no person writes is refused in one line, at once.
func TestYAMLRefuses(t *testing.T) {
	bomb := "a: &a {x: 1, y: 2, z: 3}\n"
	for i := range 20 {
		from, to := string(rune('a'+i)), string(rune('b'+i))
		bomb += fmt.Sprintf("%s: &%s {p: *%s, q: *%s, r: *%s}\n", to, to, from, from, from)
	}
	for name, in := range map[string]string{
		"bomb": bomb, "tabs": "a:\n\tb: 1\n", "open": "a: [1, 2\n", "deep": strings.Repeat("{a: ", 500) + "1" + strings.Repeat("}", 500),
		"brackets": strings.Repeat("[", 20000), "shell": "for x in a; do\n  echo: [$x\ndone\n", "jinja": "{% if x %}\na: 1\n{% endif %}\n",
	} {
		_, err := YAML([]byte(in), 0, nil)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestShellWords(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"continuation", "run a=1 \\\n  b=2\n", "run a=1 b=2"},
		{"variables", "N=4\nM=$N\nrun n=$M x=${N} y=\"${N}8\" z='$N'\n", "run n=4 x=4 y=48 z=$N"},
		{"defaults", "N=${1:-8}\nrun n=$N m=${M:-3} k=${K}\n", "run n=8 m=3 k=?"},
		{"arithmetic", "N=4\nrun n=$((N * 2)) m=$(( $N / 3 )) k=$((N / 0))\n", "run n=8 m=1 k=?"},
		{"array", "A=(a=1 \"b=2 c\")\nA+=(d=3)\nrun \"${A[@]}\" ${A[0]}\n", "run a=1 b=2 c d=3 a=1"},
		{"brackets in an array", "A=(--freq [0]*$N+[1]*4 --n 3 [0,1])\nrun \"${A[@]}\"\n", "run --freq _0]*? --n 3 _0,1]"},
		{"split", "ARGS=\"--a 1 \\\n --b 2\"\nrun $ARGS \"$ARGS\"\n", "run --a 1 --b 2 --a 1  --b 2"},
		{"arguments", "run a=1 \"$@\" $*\n", "run a=1"},
		{"environment", "run a=1 $EXTRA b=$(date)\n", "run a=1 ... b=?"},
		{"branch", "N=1\nif x; then N=2; fi\nrun n=$N\n", "run n=?"},
		{"branch within", "N=1\nif x; then N=2; run n=$N; fi\n", "run n=2"},
		{"loop", "N=1\nfor i in 1 2; do run n=$N i=$i; N=3; done\n", "run n=? i=?"},
		{"function", "f() { run n=$1 m=${2:-7}; }\nf 5\n", "run n=5 m=7"},
		{"recursion", "f() { f; }\nf\nrun a=1\n", "run a=1"},
		{"subshell", "N=1\n(N=2; run n=$N)\nrun n=$N\n", "run n=2; run n=?"},
		{"source", "N=1\nsource ~/.bashrc\nrun n=$N\nsource lib.sh\nrun n=$N\n", "run n=1; run n=?"},
		{"what is not known sets variables", "N=1\neval \"$(conf)\"\nrun n=$N\nM=1\nexport $(cat .env)\nrun m=$M\nK=1\nprintf -v K %s \"$(k)\"\nrun k=$K\n", "run n=?; run m=?; run k=?"},
		{"eval of words", "N=1\neval echo a\nexport N\nrun n=$N\n", "eval echo a; run n=1"},
		{"end", "run a=1\nexit 0\nrun a=2\n", "run a=1; exit 0"},
		{"end of a branch", "if x; then exit; run a=0; fi\nrun a=1 || exit 1\nexec >log\nrun a=2\nexec run a=3\nrun a=4\n", "exit; run a=1; exit 1; exec; run a=2; exec run a=3"},
		{"unset", "N=1\nunset N\nrun n=$N\n", "run n=?"},
		{"bash -c", "N=2\nssh h bash -c 'run n=3'\n", "ssh h bash -c run n=3; run n=3"},
		{"read", "read -r -d '' CMD <<EOF\nmod \\\n  --a 1\nEOF\nrun $CMD\n", "run mod --a 1"},
		{"substitution", "run a=$(cat x) b=`y`\n", "run a=? b=?"},
		{"brace", "run a={1,2}\n", "run a={1,2}"},
	} {
		s, err := Shell([]byte(c.in), nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, command := range s.Commands {
			var words []string
			for _, w := range command.Words {
				switch {
				case w.Rest:
					words = append(words, "...")
				case !w.Known:
					words = append(words, w.Text+"?")
				default:
					words = append(words, w.Text)
				}
			}
			if words[0] != "x" {
				got = append(got, strings.Join(words, " "))
			}
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

// A word that a variable brings stands in the assignment.
func TestShellPlaces(t *testing.T) {
	in := "LR=1e-6\nARGS=\"--beta 0.1 --lr 2\"\nA=(--n 3)\nrun x=$LR $ARGS \"${A[@]}\"\n"
	s, err := Shell([]byte(in), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range s.Commands[0].Words {
		got = append(got, in[w.At.Start:w.At.End]+"<"+in[w.From.Start:w.From.End])
	}
	if want := "run<|x=$LR<LR=1e-6|--beta<|0.1<|--lr<|2<|--n<|3<"; strings.Join(got, "|") != want {
		t.Errorf("places %q, want %q", got, want)
	}
}

// Here-documents are configurations, with the variables of the script.
func TestShellDocuments(t *testing.T) {
	in := "LR=2e-4\ncat > c.yaml <<EOF\nlr: $LR\nn: ${N:-4}\npath: $OUT/x\nEOF\ntrain c.yaml\n"
	s, err := Shell([]byte(in), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Documents) != 1 || shown(s.Documents[0]) != "lr=2e-4 n=4 path=?" {
		t.Fatalf("documents %v", s.Documents)
	}
	if at := s.Documents[0].Settings[0].At; in[at.Start:at.End] != "lr: $LR" {
		t.Errorf("place %q", in[at.Start:at.End])
	}
}

func TestShellRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"fish": "if test $x\n  echo\nend\n", "quote": "echo 'a\n", "python": "def f(x):\n    return x\n", "csh": "foreach x (a b)\n",
	} {
		_, err := Shell([]byte(in), nil)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nesting that exhausts a stack would end the program.
func TestShellDeep(t *testing.T) {
	for _, open := range []string{"(", "{ ", "$(", "if ", "while ", "\"${x:-", "$((", "[[ ! ", "case x in a) ", "! ", "a && ", "a | ", "time ", "x=`", "`", "for x in a; do ", "f() ", "function f "} {
		_, _ = Shell([]byte(strings.Repeat(open, (256<<10)/len(open))), nil)
		_, _ = Shell([]byte("echo $(( "+strings.Repeat("-", 256<<10)+"1 ))"), nil)
		_, _ = Shell([]byte("[[ "+strings.Repeat("! ", 128<<10)+"x ]]"), nil)
	}
}

// Variables that double themselves, and aliases of what is empty, do not fill the memory.
func TestDoubling(t *testing.T) {
	script := "A=(x y)\nX=xy\nf() { f \"$@\" \"$@\" \"$@\"; }\nf a b c d e f\n"
	for range 60 {
		script += "A=(\"${A[@]}\" \"${A[@]}\")\nA+=(\"${A[@]}\")\nX=\"$X$X\"\nX+=$X\n"
	}
	script += "run " + strings.Repeat("\"${A[@]}\" $X$X ", 10000)
	if _, err := Shell([]byte(script+"\n"), nil); err != nil {
		t.Error(err)
	}
	aliases := "a: &a {}\n"
	lists := "a: &a [1, 2]\n"
	for i := range 20 {
		from, to := string(rune('a'+i)), string(rune('b'+i))
		aliases += fmt.Sprintf("%s: &%s {<<: [*%s, *%s, *%s, *%s]}\n", to, to, from, from, from, from)
		lists += fmt.Sprintf("%s: &%s [*%s, *%s, *%s, *%s, *%s, *%s]\n", to, to, from, from, from, from, from, from)
	}
	if _, err := YAML([]byte(aliases), 0, nil); err == nil {
		t.Error("aliases of nothing are read without a bound")
	}
	if _, err := YAML([]byte(lists), 0, nil); err != nil {
		t.Error(err)
	}
}

func TestWithoutComments(t *testing.T) {
	in := "{\n  // one\n  \"a\": \"x // y\", /* two\n  */ \"b\": 2\n}"
	out := WithoutComments([]byte(in))
	if len(out) != len(in) {
		t.Error("offsets moved")
	}
	docs, err := YAML(out, 0, nil)
	if err != nil || shown(docs[0]) != "a=x // y b=2" {
		t.Errorf("%v %v", docs, err)
	}
}
