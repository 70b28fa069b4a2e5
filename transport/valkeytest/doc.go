// Package valkeytest starts redis-server, alone or as a cluster, or another program
// such as valkey-server, for tests of what is stored in one.
//
//	server := valkeytest.Start(t)
//	client := valkeytest.Client(t, "redis://"+server.Addr)
//
// A server keeps nothing unless its arguments say so, and ends with its test.
// Where the program is not installed the test is skipped.
//
// # Concurrency
//
// A Server belongs to the goroutine of its test.
package valkeytest
