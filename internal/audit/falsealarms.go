package audit

// FalseAlarms is what the table of signals says of runs in which nothing is wrong. They are
// simulated (sim_test.go): some 60 to 460 logged values of 15 quantities and of four reward
// functions, noise of three degrees of freedom that is correlated from step to step, a spike in
// one value of a hundred, an evaluation at 21 steps and completions at 20. A run counts once, by its worst signal;
// BenchmarkFalseAlarms measures it anew. Real runs differ: it is a measure of the windows, not a
// promise.
var FalseAlarms = struct{ Runs, Warned, Alerted int }{Runs: 500, Warned: 11, Alerted: 0}
