// Package valkeytest starts redis-server, alone or as a cluster, for tests of what
// is kept in one.
//
//	server := valkeytest.Start(t)
//	client := valkeytest.Client(t, "redis://"+server.Addr)
//
// A server keeps nothing unless its arguments say so, and ends with its test.
// Where redis-server is not installed the test is skipped.
//
// # Concurrency
//
// A Server belongs to the goroutine of its test.
package valkeytest
