package hunt

// The verdicts of an emitted test.
const (
	// TestProved fails on the program as it is and passes with the fix.
	TestProved = "proved"
	// TestFails fails on the program as it is, and was not seen to pass.
	TestFails = "fails"
	// TestNone is no test.
	TestNone = "none"
)

// Test is the regression test that was written, and what is proved of it.
type Test struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	// Before and After are what came of it without the fix and with it: passed, failed or
	// error; "" where it was not run.
	Before string `json:"before"`
	After  string `json:"after"`
	// Runs says that it runs the program, since nothing less could be replayed.
	Runs bool `json:"runs_program"`
	// Tried are the tests that came before it, and what was wrong with each.
	Tried []string `json:"tried"`
	// Pytest says that pytest ran it; else its functions were called one by one.
	Pytest bool `json:"pytest"`
}
