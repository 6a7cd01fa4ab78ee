package protocol

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

const (
	hello = `{"event": "hello", "pid": 7, "process": "", "protocol": 1, "python": "3.11.2", "seed": 3}` + "\n"
	hits  = `{"event": "hits", "pid": 7, "process": "", "id": 0, "hits": 4, "step": 2}` + "\n"
	end   = `{"event": "end", "pid": 7, "process": "", "status": "done", "steps": 2, "environment_steps": 0, "seconds": 1.5, "losses": [], "nonfinite": null, "rss": 9}` + "\n"
)

// TestRead: events come out as they went in, in order, from several processes.
func TestRead(t *testing.T) {
	child := strings.NewReplacer(`"process": ""`, `"process": "1"`, `"pid": 7`, `"pid": 8`)
	var got []string
	fault := Read(strings.NewReader(hello+hits+child.Replace(hello)+end+child.Replace(hits)+child.Replace(end)), []int{0}, func(e Event) {
		got = append(got, fmt.Sprintf("%s%s", e.From().Process, reflect.TypeOf(e).Elem().Name()))
		if h, ok := e.(*Hits); ok && (h.Hits != 4 || h.Step != 2) {
			t.Errorf("%+v", h)
		}
	})
	if fault != nil {
		t.Error(fault)
	}
	if want := "Hello Hits 1Hello End 1Hits 1End"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFaults: what is not of the protocol is said in one line, with its place and with what
// helps; what came before it was read, and nothing behind it is.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"another version":       {strings.Replace(hello, `"protocol": 1`, `"protocol": 9`, 1), "line 1 of its events is of version 9 of the protocol; this rlvet speaks version 1; Python imports another rlvet_harness: "},
		"no version":            {strings.Replace(hello, `"protocol": 1, `, "", 1), "line 1 of its events names no version of the protocol; "},
		"cut off":               {hello + hits[:20], "line 2 of its events was cut off after 20 bytes; a process died while it wrote: "},
		"cut off in between":    {hello + hits[:20] + hits, "line 2 of its events is no JSON object: "},
		"no event":              {hello + "loss 0.7\n", `line 2 of its events is no JSON object: "loss 0.7"; the program, or a library, writes to rlvet's pipe: `},
		"an empty line":         {hello + "\n", `line 2 of its events is no JSON object: ""`},
		"another object":        {hello + "{\"loss\": 0.7}\n", `line 2 of its events is no event that rlvet knows: "{\"loss\": 0.7}"`},
		"an array":              {hello + "[1]\n", "is no JSON object"},
		"null":                  {hello + "null\n", "is no JSON object"},
		"an event of tomorrow":  {hello + strings.Replace(hits, `"hits"`, `"verdict"`, 1), "is no event that rlvet knows"},
		"a field too many":      {hello + strings.Replace(hits, `"id"`, `"verdict": 1, "id"`, 1), `is no valid "hits" event (`},
		"a field in capitals":   {hello + strings.Replace(hits, `"id"`, `"HITS": 9, "id"`, 1), `is no valid "hits" event (`},
		"a field too few":       {hello + strings.Replace(hits, `"hits": 4, `, "", 1), `is no valid "hits" event (`},
		"another type":          {hello + strings.Replace(hits, `"hits": 4`, `"hits": "4"`, 1), `is no valid "hits" event (hits: type: 4 has type "string", want "integer")`},
		"less than nothing":     {hello + strings.Replace(hits, `"hits": 4`, `"hits": -4`, 1), `is no valid "hits" event (hits: `},
		"a fraction":            {hello + strings.Replace(hits, `"hits": 4`, `"hits": 4.5`, 1), `is no valid "hits" event (hits: `},
		"more than a number is": {hello + strings.Replace(hits, `"hits": 4`, `"hits": 1e99`, 1), `is no valid "hits" event (`},
		"NaN":                   {hello + strings.Replace(hits, `"hits": 4`, `"hits": NaN`, 1), "line 2 of its events holds NaN, which JSON does not have; "},
		"infinity":              {hello + strings.Replace(hits, `"hits": 4`, `"hits": -Infinity`, 1), "holds -Infinity, which JSON does not have"},
		"not UTF-8":             {hello + strings.Replace(hits, `"hits"`, "\"h\xffits\"", 1), "line 2 of its events is not UTF-8: "},
		"nothing but zeros":     {strings.Repeat("\x00", 100) + "\n", "line 1 of its events is no JSON object"},
		"too long":              {hello + strings.Repeat("x", maxLine+1) + "\n" + hits, "line 2 of its events is longer than 65536 bytes; "},
		"deep":                  {strings.Repeat("[", 30000) + "\n", "is no JSON object"},
		"before hello":          {hits, "line 1 of its events is out of order: the first process has not said hello; "},
		"a child before hello":  {hello + strings.Replace(hits, `"process": ""`, `"process": "2.1"`, 1), `is out of order: process "2.1" has not said hello`},
		"after the end":         {hello + end + hits, "line 3 of its events is out of order: the first process has ended"},
		"a second end":          {hello + end + end, "line 3 of its events is out of order"},
		"an unknown target":     {hello + strings.Replace(hits, `"id": 0`, `"id": 5`, 1), "line 2 of its events speaks of target 5, which is not in the request; "},
		"no end of it":          {hello + strings.Repeat(hits, maxEvents), "comes after 100000 others, which is too many"},
	} {
		t.Run(name, func(t *testing.T) {
			read := 0
			fault := Read(strings.NewReader(c.text), []int{0}, func(Event) { read++ })
			if fault == nil || !strings.Contains(fault.Error(), c.want) {
				t.Fatalf("%v, want %s", fault, c.want)
			}
			if fault.Line != read+1 {
				t.Errorf("%d events were read before line %d", read, fault.Line)
			}
			oneLine(t, fault)
		})
	}
}

// oneLine fails where a fault is not a line that a terminal can show.
func oneLine(t *testing.T, f *Fault) {
	t.Helper()
	text := f.Error()
	if strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) || c == unicode.ReplacementChar }) || len(text) > 1000 {
		t.Errorf("it is no line for people: %q", text)
	}
	if f.What == "" || f.Help == "" {
		t.Errorf("%q, %q", f.What, f.Help)
	}
}

// TestReadClosed: to close the pipe while a process holds it open is no fault of the program.
func TestReadClosed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.WriteString(hello + hits[:10])
	done := make(chan *Fault)
	go func() { done <- Read(r, []int{0}, func(Event) { r.Close() }) }()
	if fault := <-done; fault != nil {
		t.Error(fault)
	}
}

// FuzzRead: whatever comes, reading ends without a panic; what is yielded is of the protocol,
// and each process has said hello; a fault is a line for people.
func FuzzRead(f *testing.F) {
	f.Add(hello + hits + end)
	f.Add(hello + `{"event": "evidence", "pid": 7, "process": "", "id": 0, "hits": 4, "upheld": 4, "required": 3, "needs": "a number", "unsure": null, "holds": "all finite"}` + "\n")
	f.Add(hello + `{"event": "confirm", "pid": 7, "process": "", "id": 0, "reason": "NaN", "hit": 0, "step": 1, "seen": {"low": "nan"}, "stack": ["a.py:1 f"]}` + "\n")
	f.Add(hello + `{"event": "series", "pid": 7, "process": "", "id": 0, "name": "low", "points": [[0, 1, 0.5], [1, 1, 1e-9]]}` + "\n")
	f.Add(hello + `{"event": "hits", "pid": 7, "process": "", "id": 0, "hits": NaN, "step": 1}` + "\n")
	f.Add("\xff\n{}\n")
	f.Fuzz(func(t *testing.T, text string) {
		greeted, n := map[Sender]bool{}, 0
		fault := Read(strings.NewReader(text), []int{0, 1}, func(e Event) {
			n++
			_, isHello := e.(*Hello)
			if greeted[e.From()] = greeted[e.From()] || isHello; !greeted[e.From()] {
				t.Errorf("%+v comes before hello", e)
			}
			if id := TargetID(e); id > 1 {
				t.Errorf("%+v speaks of an unknown target", e)
			}
			if _, err := json.Marshal(e); err != nil {
				t.Error(err)
			}
		})
		if fault != nil {
			oneLine(t, fault)
			if fault.Line != n+1 {
				t.Errorf("%d events, and a fault in line %d", n, fault.Line)
			}
		} else if n != strings.Count(text, "\n") {
			t.Errorf("%d events of %d lines, and no fault", n, strings.Count(text, "\n"))
		}
	})
}
