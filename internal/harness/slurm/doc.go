// Package slurm runs the units of plans on the nodes of a Slurm cluster.
//
// Purpose: many scripts and seeds at once, and GPUs where they are. [Launcher] is a
// [harness.Launcher] that submits all units as one array; [RunUnit] is what a task of the
// array does on its node: it runs one unit as package harness runs it anywhere.
//
// Input: units. Output: their results. Between the two is the job folder ([folder]), on a
// file system that all nodes share: a snapshot of each project, this very program, and the
// results, each written as a whole or not at all.
//
// Limits: nodes must be able to run the program and the Python that the submitting
// machine runs; one cluster, that of the submitting machine. What Slurm accounts is not
// read, since accounting is often off.
//
// # How an array goes
//
// The name of the job folder is a digest of all that a result depends on: the projects'
// files, the plans, the program. So whoever starts the same plan again finds the results
// that are there already and submits the rest; nothing else remembers anything. A task
// that ends without a result (its node failed, or it was preempted) is submitted again, some
// times; what still has no result then is inconclusive, for the reason that Slurm gives.
// Whoever interrupts the submitting program cancels the array.
package slurm
