// Package valkeytest starts redis-server for tests of what is kept in one.
//
//	server := valkeytest.Start(t)
//	client := redis.NewClient(&redis.Options{Addr: server.Addr})
//
// A server keeps nothing unless its arguments say so, and ends with its test.
// Where redis-server is not installed the test is skipped.
//
// # Concurrency
//
// A Server belongs to the goroutine of its test.
package valkeytest
