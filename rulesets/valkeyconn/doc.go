// Package valkeyconn connects to Valkey and Redis: single servers, clusters and
// sentinels, by URL.
//
//	client, db, err := valkeyconn.Dial(ctx, "valkeys://user:password@host:6379/0", log)
//
// The store of rulesets uses it, and so do the parts of the program that keep
// something else on the same server. Commands are sent once: none is repeated when
// its answer is lost. The client library's log goes to the logger of the first Dial.
//
// # Failovers
//
// A client finds the new primary after a failover: also behind one address, where the
// old connections stay open and lead to what is a replica now. While a server takes
// connections but does not answer, commands fail with [ErrHung] within two seconds,
// and at once from then on. While a large command is under way the limit is higher, by
// up to eight seconds for 16 MiB. The parameters password_file, ca_file, cert_file and
// key_file of a URL name files that are read for each new connection.
//
// # Concurrency
//
// Clients may be used by many goroutines. No goroutine is left behind when a client is
// closed, but for a ping of at most a second.
package valkeyconn
