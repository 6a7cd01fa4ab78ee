// Package reward calls a function that scores answers as its trainer would, with completions
// that a policy would find, and says what it rewards: the contract with the trainer, cheap
// tricks, length, repetition and format.
//
// Input: a [Request]: a file and a function in it, and prompts with what is right. Output: a
// [Result], which is plain data; text, JSON and a page are made of it. The function runs in the
// harness, isolated and in a copy of its project (py/rlvet_harness/reward.py), in two runs: the
// first finds the form in which the function wants the right answer, among templates
// (forms.go), the second scores tricks in that form (tricks.go). What counts as a finding is
// decided in judge.go alone.
//
// Limits: a trick that is not in the list is not found. A function that needs a model or the
// network gets neither. What is right is known as text: for answers of many forms, such as
// programs, the tricks are those in the form of the one that the data hold.
package reward
