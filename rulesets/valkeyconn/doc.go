// Package valkeyconn connects to Valkey and Redis: single servers, clusters and
// sentinels, by URL.
//
//	client, db, err := valkeyconn.Dial(ctx, "valkeys://user:password@host:6379/0", log)
//
// The store of rulesets uses it, and so do the other parts of the program that
// store data on the same server. A command is sent once and not repeated if its
// answer is lost. The client library's log goes to the logger of the first Dial.
//
// # Failovers
//
// A client finds the new primary after a failover, even behind a single address,
// where old connections stay open and lead to a server that is now a replica.
// While a server accepts connections but does not answer, commands fail with
// [ErrHung] within two seconds, and then immediately. A large command raises that
// limit while it is in progress, by up to eight seconds for 16 MiB. The URL
// parameters password_file, ca_file, cert_file and key_file name files that are
// read for each new connection.
//
// # Concurrency
//
// Clients may be used by several goroutines. After a client has been closed, a
// ping may run for up to a second; no other goroutine remains.
package valkeyconn
