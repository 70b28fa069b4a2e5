// Package load keeps servers busy and measures what they make of it: one server
// over pipes or HTTPS, or several of them in turn, so that a machine that is now
// slow and now fast is so for all of them.
//
//	conn, err := load.Open(ctx, load.Server{Name: "ours", Argv: []string{"triptych", "stdio"}})
//	mix, err := load.Prepare(conn, load.Call("get_ruleset", `{"name":"go_style"}`))
//	sample, err := conn.Run(mix, 16, time.Second) // 16 requests in flight
//
// A driver that shares the machine with what it measures must cost little. A
// request is made once and only its id is written over; many leave in one write;
// of an answer only the id and the length are looked at, after [Prepare] has
// decoded one in full. The driver's own CPU time stands beside the server's.
//
// Measuring needs Linux's /proc; on other systems the package is empty.
//
// # Concurrency
//
// A connection is for one goroutine at a time.
package load
