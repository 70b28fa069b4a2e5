// Package valkeyconn connects to Valkey and Redis: single servers, clusters and
// sentinels, by URL.
//
//	client, db, err := valkeyconn.Dial(ctx, "valkeys://user:password@host:6379/0", log)
//
// The store of rulesets uses it, and so do the parts of the program that keep
// something else on the same server. Commands are sent once: none is repeated when
// its answer is lost. The client library's log goes to the logger of the first Dial.
package valkeyconn
