// Package worktime bounds the time for which callers may replay and search, and measures how
// far their work is.
//
//	work := accounts.Begin(ctx, "key")
//	defer work.End()
//	found, err := search(work.Context())
//	err = work.Explain(err)
//
// The context of a [Work] has the work. A function that takes long finds it with [Of], and
// reports how far it is in a [Phase]. Everything can be done without a Work, too.
//
// # Time
//
// The time of a call is the one that passes while it works, not the one for which it waits
// for a process. A call uses one processor at a time, so that it is at most so much
// processor time. When it is used up, the context of the work ends, with a [*UsedUpError].
//
// A key has a limit of its own for an hour. What it has used is forgiven bit by bit in the
// course of an hour. A call of a key that has used it up has [least], which is enough to
// look at a process.
//
// # Concurrency
//
// All methods may be called by any goroutine.
package worktime
