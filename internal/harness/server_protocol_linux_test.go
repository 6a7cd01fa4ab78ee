package harness

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/harness/protocol"
)

// TestServerProtocol: what goes to the server of forks and comes from it has the fields that the
// protocol names, in Go and in Python.
func TestServerProtocol(t *testing.T) {
	var whole struct {
		Defs map[string]struct {
			Properties map[string]struct{ Enum []string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(protocol.Schema(), &whole); err != nil {
		t.Fatal(err)
	}
	for name, typ := range map[string]reflect.Type{"fork_request": reflect.TypeFor[forkRequest](), "server_message": reflect.TypeFor[serverMessage]()} {
		var inGo []string
		for _, f := range reflect.VisibleFields(typ) {
			inGo = append(inGo, f.Tag.Get("json"))
		}
		slices.Sort(inGo)
		if want := slices.Sorted(maps.Keys(whole.Defs[name].Properties)); !slices.Equal(inGo, want) {
			t.Errorf("%s: Go has the fields %v, the protocol %v", name, inGo, want)
		}
	}
	serve, err := os.ReadFile("py/rlvet_harness/serve.py")
	if err != nil {
		t.Fatal(err)
	}
	message := whole.Defs["server_message"].Properties
	sent := []string{}
	for _, call := range regexp.MustCompile(`tell\(control, "(\w+)", (.*)\)`).FindAllStringSubmatch(string(serve), -1) {
		sent = append(sent, call[1])
		for _, field := range regexp.MustCompile(`(?:^|, )(\w+)=`).FindAllStringSubmatch(call[2], -1) {
			if _, known := message[field[1]]; !known {
				t.Errorf("Python sends the field %q of %q, which the protocol does not name", field[1], call[1])
			}
		}
	}
	slices.Sort(sent)
	if want := slices.Sorted(slices.Values(message["event"].Enum)); !slices.Equal(slices.Compact(sent), want) {
		t.Errorf("Python sends %v, the protocol has %v", sent, want)
	}
	for _, field := range regexp.MustCompile(`request\["(\w+)"\]`).FindAllStringSubmatch(string(serve), -1) {
		if _, known := whole.Defs["fork_request"].Properties[field[1]]; !known {
			t.Errorf("Python reads %q of a request, which the protocol does not name", field[1])
		}
	}
}

// TestForeignMessages: what is no message of the server is an error, which ends the server.
func TestForeignMessages(t *testing.T) {
	for text, want := range map[string]string{
		`{"event": "started", "id": 3, "pid": 7}`:             "",
		`{"event": "started", "id": "3", "pid": 7}`:           "no message of the server (id: type",
		`{"event": "begun", "id": 3}`:                         "no message of the server (event: enum",
		`{"event": "ended", "id": 3, "status": 0, "more": 1}`: "no message of the server (",
		`{"id": 3}`: "no message of the server (",
		"loss 0.5":  "invalid character",
		"":          "unexpected end",
	} {
		var m serverMessage
		err := protocol.ReadMessage([]byte(text), &m)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
