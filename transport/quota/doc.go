// Package quota counts requests by key and month and minute, and refuses those
// that are more than a plan allows.
//
// A [Meter] counts exactly: of any number of concurrent requests as many are
// granted as are left, and a refused one does not count. Windows follow the
// calendar in UTC: a month from its first day, a minute from its first
// second. A window begins when a request is the first to come after the last
// one's end, so a clock that goes backwards never begins one again.
//
//	meter, err := quota.OpenLocal(ctx, filepath.Join(data, "quota"), log)
//	...
//	usage, err := meter.Take(ctx, record.ID, record.Limits(), time.Now())
//
// # Backends
//
// [Local] counts in memory and keeps the counts in a journal. It grants nothing
// that the journal does not cover: a block of requests is on disk as used before
// the first of them is granted. A crash therefore costs a key the rest of its
// block and never grants more than the plan. One process at a time counts in a
// folder.
//
// [Valkey] counts on a server that several processes share. Requests of busy keys
// are counted ahead, in leases, so that most of them ask the server nothing. The
// processes' clocks should agree: a window begins when the first of them says so.
//
// # Errors
//
// [*ExceededError] says which limit was met and when to come back. A backend
// that cannot count returns an error that wraps [ErrUnavailable]; then nothing
// is granted.
//
// # Concurrency
//
// Any number of goroutines may use a meter. A [Local] has no goroutines. A [Valkey]
// starts one for each lease that it asks for or returns; each ends within a time-out, and
// Close waits for all.
//
// # What may be lost
//
// Both backends err on the side of the operator: after a crash some requests may count
// that were not granted, never the reverse. The bound is the same, a block: at most a
// thousandth of the month and a quarter of the minute.
package quota
