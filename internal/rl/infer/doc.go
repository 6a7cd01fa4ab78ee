// Package infer evaluates a Python module abstractly and answers, for every
// expression, what RL quantity it is and where it came from.
//
// Input: a module's syntax tree, the library tables, and the modules that it
// imports, evaluated before. Output: a [Result]. The package reports nothing.
//
// # The value graph
//
// Evaluation turns the program into a graph. A node is a [Val]: the abstract
// quantity (domain.Value), the operation that produced it, its inputs, and the
// syntax it stands for. Reading a variable yields the very Val that was
// assigned, so "x - x.mean()" shares one input, whatever the variables are
// called and through however many helpers, attributes, tuples and modules x
// went. Rules ask two things: what a Val is (v.Q), and how it was made
// (v.Op, v.In). They do not look at names.
//
// # Frames and contexts
//
// A function body is evaluated once for each distinct calling context: a
// [Frame]. The context is what the body can see: the abstract arguments, whether
// gradients are off, and whatever it read of objects and of the variables around
// it. So a helper that samples from logits in one place and from probabilities in
// another has two frames, and only one of them is wrong.
//
// A call in an equal context is answered by the frame that is there already. Its
// result is handed out with the new arguments as further inputs, and the call is
// noted as a [Site] of the frame: what rests on a parameter's quantity is true at
// all sites, what rests on how the argument was made has to be asked of each. A
// call that cannot be followed yields an unknown value; a recursive one yields
// what the function has returned so far, its base case.
//
// # Entries and stale frames
//
// What nobody called is evaluated in the end as an entry: a function with
// parameters of which only the names, annotations and defaults are known, a
// method on the object of its class, or on one of unknown history where the program makes
// several or none. Findings there rest on names
// (domain.NameOnly) unless the body alone proves them. An entry becomes stale
// when another function calls the body for real after all, and what only stale
// frames called is stale with them; so are the first evaluations of methods that
// read attributes which later methods changed. Rules pass over stale frames.
//
// # Places, objects and the heap
//
// A body's environment maps places (x, self.x, batch["logp"]) to values, and an
// assignment replaces what a place held and forgets its parts. Paths that the body
// only reads are no places of its environment: the object says what they hold. Objects are one
// for each expression that makes them and each frame. The heap behind the places
// is flow-insensitive: what is written to an attribute, a key or a position is
// joined into the object for all its names, and only the path that it was written
// through knows that it was replaced. Of what one expression wrote to an attribute with
// gradients and without them, the last is what is read (fields.go). Objects of other
// modules stay as those left them, except that the writes into their dicts are seen by whoever
// imports the writer (registries); of what an annotation names, each module has an
// object of its own (foreign.go).
//
// # Joins
//
// Where control flow meets, a place that holds two values holds a phi of both. Of
// two values that are indistinguishable the join keeps one and notes that it
// absorbed the other, so that what becomes of either can be told
// ([Result.Absorbed]); results of different operations of which nothing else is known
// are kept apart. Some values are neutral: None, the zero that a sum starts
// from, and a buffer that was allocated empty say nothing of what comes, and take
// the kind of what they are joined with.
//
// # Loops and termination
//
// A loop is evaluated until its entry environment stops changing, each time from
// the join of the one before; a loop that is reached again starts from where it
// ended, so nested loops cost about one more pass a level. A loop over the items
// of a dict with known keys, or over known names, treats each one differently:
// it is unrolled, and so is a comprehension over any sequence of known elements.
//
// The lattice is finite, but containers can hold themselves and each other, so
// everything that follows references is bounded: how deep calls nest, how deep
// references of any sort lead to each other, how many frames a function has, how often
// a loop is evaluated, how deep and how much of two containers is compared or joined,
// how many elements of a sequence are kept apart. The work of a module is bounded by its size; once it is used up, no call
// is followed any more, while every statement is still visited. [Stats] counts the
// bounds that were hit, where calls and loops gave up because of them.
//
// # What is not seen
//
// Unknown calls change nothing: a missed bug is better than an invented one. There
// is no aliasing analysis beyond the identity of objects, no descriptors or
// metaclasses, no monkey-patching of libraries, no exec. A mode that a function
// leaves behind (set_grad_enabled, default dtypes) ends with its body.
package infer
