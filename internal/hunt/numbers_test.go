package hunt

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/rlvet/rlvet/internal/harness"
)

// TestNumbersTravel: what JSON has no word for comes through it, and arrays come back as
// what they were.
func TestNumbersTravel(t *testing.T) {
	type all struct {
		F []Float
		L []Loss
		N []Norm
	}
	inf := Float(math.Inf(1))
	before := all{[]Float{Float(math.NaN()), inf, -inf, 0.5}, []Loss{{3, 2, inf}, {4, 2, -1.25}}, []Norm{{7, Float(math.NaN())}}}
	text, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"F":["nan","inf","-inf",0.5],"L":[[3,2,"inf"],[4,2,-1.25]],"N":[[7,"nan"]]}`; string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	var after all
	if err := json.Unmarshal(text, &after); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(after); string(again) != string(text) {
		t.Errorf("%s, want %s", again, text)
	}
	for _, bad := range []string{`{"L": [[1, 2]]}`, `{"L": [[1, 2, 3, 4]]}`, `{"F": ["many"]}`, `{"N": [7]}`} {
		if json.Unmarshal([]byte(bad), &all{}) == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// TestBound: five clean seeds say little, fifty-nine more.
func TestBound(t *testing.T) {
	for n, want := range map[int]float64{0: 1, 1: 0.95, 5: 0.4507, 59: 0.0495} {
		if got := harness.Bound(n); math.Abs(got-want) > 1e-4 {
			t.Errorf("%d clean seeds: %v, want %v", n, got, want)
		}
	}
}
