package rule

import (
	"flag"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/finding"
)

var update = flag.Bool("update", false, "rewrite golden files")

// doc makes a page with the metadata that selection looks at.
func doc(code, name, family string, status Status) *Doc {
	return &Doc{Meta: Meta{Code: code, Name: name, Family: family, Status: status, Severity: finding.Error, Evidence: finding.Derived, Fix: FixUnsafe}, Path: name + ".md"}
}

func registry(t testing.TB) *Registry {
	t.Helper()
	r, err := NewRegistry([]Entry{
		{Doc: doc("KL016", "kl-missing-in-loss", "kl", Stable)},
		{Doc: doc("ADV019", "std-of-one", "advantage", Preview)},
		{Doc: doc("ADV009", "std-without-eps", "advantage", Stable)},
		{Doc: doc("OBJ001", "log-ratio-as-ratio", "objective", Stable)},
	}, []Retired{{Code: "ADV001", Name: "bare-std", By: "ADV009", Why: "it found half of what ADV009 finds."}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEntriesAreInOrderOfFamiliesAndCodes(t *testing.T) {
	var got []string
	for _, e := range registry(t).Entries() {
		got = append(got, e.Doc.Code)
	}
	if diff := cmp.Diff([]string{"OBJ001", "ADV009", "ADV019", "KL016"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLookupTakesCodesAndNamesInAnyCase(t *testing.T) {
	for _, key := range []string{"ADV009", "adv009", "std-without-eps", "STD-without-eps"} {
		if e, ok := registry(t).Lookup(key); !ok || e.Doc.Code != "ADV009" {
			t.Errorf("Lookup(%q) = %v", key, ok)
		}
	}
}

func TestNewRegistryRefusesClashes(t *testing.T) {
	a, b := Entry{Doc: doc("KL016", "a", "kl", Stable)}, Entry{Doc: doc("KL016", "b", "kl", Stable)}
	misnamed := Entry{Doc: doc("KL016", "a", "kl", Stable), Analyzer: &analysis.Analyzer{Name: "KL017"}}
	for _, c := range []struct {
		entries []Entry
		retired []Retired
		want    string
	}{
		{[]Entry{a, b}, nil, "KL016 is already taken by a.md"},
		{[]Entry{a}, []Retired{{Code: "KL016"}}, "retired rule KL016 is in use"},
		{[]Entry{misnamed}, nil, "the analyzer is named KL017; name it KL016"},
	} {
		if _, err := NewRegistry(c.entries, c.retired); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestUnknownNamesTheNearestOrTheSuccessor(t *testing.T) {
	for key, want := range map[string]string{
		"ADV0009":         `unknown rule "ADV0009"; did you mean ADV009 (std-without-eps)?`,
		"std-without-esp": `did you mean ADV009 (std-without-eps)?`,
		"KL16":            `did you mean KL016 (kl-missing-in-loss)?`,
		"zzzzzzzzzzzz":    "`rlvet rules` lists all",
		"ADV001":          "rule ADV001 (bare-std) was retired: it found half of what ADV009 finds; write ADV009 (std-without-eps) instead",
	} {
		if got := registry(t).Unknown(key).Error(); !strings.Contains(got, want) {
			t.Errorf("Unknown(%q) = %s\nwant %s", key, got, want)
		}
	}
}

// Selection follows ruff: within one layer the more specific selector wins, and
// a later layer that selects starts afresh.
func TestResolve(t *testing.T) {
	all := Selection{Select: []string{"ALL"}}
	for _, c := range []struct {
		name    string
		layers  []Selection
		preview PreviewMode
		want    string
		warning string
	}{
		{"everything stable", []Selection{all}, NoPreviews, "ADV009 KL016 OBJ001", ""},
		{"preview too", []Selection{all}, Previews, "ADV009 ADV019 KL016 OBJ001", ""},
		{"a prefix", []Selection{{Select: []string{"ADV"}}}, Previews, "ADV009 ADV019", ""},
		{"part of a code", []Selection{{Select: []string{"ADV01"}}}, Previews, "ADV019", ""},
		{"a family", []Selection{{Select: []string{"kl"}}}, NoPreviews, "KL016", ""},
		{"a name", []Selection{{Select: []string{"log-ratio-as-ratio"}}}, NoPreviews, "OBJ001", ""},
		{"nothing", []Selection{{Select: []string{}}}, NoPreviews, "", ""},
		{"ignore is more specific", []Selection{{Select: []string{"ADV"}, Ignore: []string{"ADV009"}}}, Previews, "ADV019", ""},
		{"select is more specific", []Selection{{Select: []string{"ADV009"}, Ignore: []string{"ALL"}}}, Previews, "ADV009", ""},
		{"equally specific", []Selection{{Select: []string{"ADV"}, Ignore: []string{"ADV"}}}, Previews, "", ""},
		{"extend", []Selection{{Select: []string{"KL"}, Extend: []string{"OBJ"}}}, NoPreviews, "KL016 OBJ001", ""},
		{"a later layer selects", []Selection{{Select: []string{"KL"}}, {Select: []string{"OBJ"}}}, NoPreviews, "OBJ001", ""},
		{"a later layer ignores", []Selection{all, {Ignore: []string{"KL"}}}, NoPreviews, "ADV009 OBJ001", ""},
		{"a later layer extends over an earlier ignore", []Selection{{Select: []string{"ALL"}, Ignore: []string{"KL016"}}, {Extend: []string{"KL"}}}, NoPreviews, "ADV009 KL016 OBJ001", ""},
		{"preview by its code", []Selection{{Select: []string{"ADV019", "KL"}}}, NoPreviews, "KL016", "selecting ADV019 has no effect: the rule is in preview; add --preview"},
		{"part of a code, preview only", []Selection{{Select: []string{"ADV01", "OBJ"}}}, NoPreviews, "OBJ001", "selecting ADV019 has no effect: the rule is in preview; add --preview"},
		{"preview that is ignored again", []Selection{{Select: []string{"ADV019", "OBJ"}, Ignore: []string{"ADV019"}}}, NoPreviews, "OBJ001", ""},
		{"previews by name", []Selection{{Select: []string{"ADV"}, Extend: []string{"ADV019"}}}, NamedPreviews, "ADV009 ADV019", ""},
		{"previews of a family are not named", []Selection{{Select: []string{"ADV"}}}, NamedPreviews, "ADV009", ""},
		{"a named preview that is ignored again", []Selection{{Select: []string{"ADV", "ADV019"}}, {Ignore: []string{"ADV019"}}}, NamedPreviews, "ADV009", ""},
		{"an empty family", []Selection{{Select: []string{"SEED"}}}, NoPreviews, "", "selecting SEED has no effect: the family has no rule yet; `rlvet rules` lists all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := registry(t).Resolve(c.layers, c.preview)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(codes(got.Enabled), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := strings.Join(got.Warnings, "\n"); got != c.warning {
				t.Errorf("warnings %q, want %q", got, c.warning)
			}
		})
	}
}

// Who sees no finding is told of rules that were asked for and stayed off, and of no others.
func TestResolveCountsWhatPreviewHolds(t *testing.T) {
	for _, c := range []struct {
		layer   Selection
		preview PreviewMode
		want    int
	}{
		{Selection{Select: []string{"ALL"}}, NoPreviews, 1},
		{Selection{Select: []string{"ALL"}}, Previews, 0},
		{Selection{Select: []string{"KL"}}, NoPreviews, 0},
		{Selection{Select: []string{"ADV"}, Ignore: []string{"ADV019"}}, NoPreviews, 0},
	} {
		got, err := registry(t).Resolve([]Selection{c.layer}, c.preview)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Held) != c.want {
			t.Errorf("%v, preview %d: %d held, want %d", c.layer, c.preview, len(got.Held), c.want)
		}
	}
}

func TestResolveRefusesUnknownSelectors(t *testing.T) {
	for _, bad := range []string{"AD", "ADV2", "", "A*"} {
		if _, err := registry(t).Resolve([]Selection{{Ignore: []string{bad}}}, NoPreviews); err == nil {
			t.Errorf("selector %q is accepted", bad)
		}
	}
}

// Whatever is selected, ignoring ALL afterwards leaves nothing, and the order
// of selectors within a list does not matter.
func TestResolveProperties(t *testing.T) {
	r := registry(t)
	selector := rapid.SliceOf(rapid.SampledFrom([]string{"ALL", "ADV", "ADV0", "ADV009", "KL", "kl", "OBJ001", "std-of-one"}))
	rapid.Check(t, func(t *rapid.T) {
		layer := Selection{Select: selector.Draw(t, "select"), Extend: selector.Draw(t, "extend"), Ignore: selector.Draw(t, "ignore")}
		got, err := r.Resolve([]Selection{layer}, Previews)
		if err != nil {
			t.Fatal(err)
		}
		shuffled := layer
		shuffled.Select = rapid.Permutation(layer.Select).Draw(t, "order")
		if layer.Select == nil {
			shuffled.Select = nil
		}
		again, err := r.Resolve([]Selection{shuffled}, Previews)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(codes(got.Enabled), codes(again.Enabled)); diff != "" {
			t.Fatal(diff)
		}
		none, err := r.Resolve([]Selection{layer, {Ignore: []string{"ALL"}}}, Previews)
		if err != nil {
			t.Fatal(err)
		}
		if len(none.Enabled) > 0 || len(none.Held) > 0 {
			t.Fatalf("left: %v, held back: %d", codes(none.Enabled), len(none.Held))
		}
	})
}

func codes(s Set) []string {
	var out []string
	for c := range s {
		out = append(out, c)
	}
	sort.Strings(out)
	return out
}

// A fix is never stronger than the page says.
func TestCompleteLimitsFixes(t *testing.T) {
	none, safe := doc("KL001", "a", "kl", Stable), doc("KL002", "b", "kl", Stable)
	none.Fix, safe.Fix = FixNone, FixSafe
	r, err := NewRegistry([]Entry{{Doc: none}, {Doc: safe}, {Doc: doc("KL003", "c", "kl", Stable)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code     string
		in, want finding.Applicability
	}{
		{"KL001", finding.Safe, finding.DisplayOnly}, {"KL002", finding.Safe, finding.Safe}, {"KL002", "", finding.Safe},
		{"KL002", finding.Unsafe, finding.Unsafe}, {"KL003", finding.Safe, finding.Unsafe}, {"KL003", finding.DisplayOnly, finding.DisplayOnly},
	} {
		fix := &finding.Fix{Applicability: c.in}
		f := finding.Finding{Code: c.code, Fix: fix}
		r.Complete(&f)
		if f.Fix.Applicability != c.want || fix.Applicability != c.in {
			t.Errorf("%s: %q became %q, want %q, the argument kept", c.code, c.in, f.Fix.Applicability, c.want)
		}
		if f.Severity != finding.Error || f.Evidence != finding.Derived || f.URL == "" {
			t.Errorf("%s: not completed: %+v", c.code, f)
		}
	}
}

// The page as the terminal and as the editor show it.
func TestRender(t *testing.T) {
	d := mustParse(t, page(t))
	var plain, coloured strings.Builder
	if err := d.Render(&plain, false); err != nil {
		t.Fatal(err)
	}
	if err := d.Render(&coloured, true); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"page.txt": plain.String(), "page.ansi": coloured.String(), "page.markdown": d.Markdown()} {
		golden(t, "testdata/"+name, got)
	}
	if strings.Contains(plain.String(), "\x1b") || strings.Contains(plain.String(), "# want") {
		t.Error("the plain page has escapes or marks")
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (rewrite with -update):\n%s", path, diff)
	}
}
