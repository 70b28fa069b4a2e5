// Package scale starts several servers of the program on one store, behind proxies
// that share requests among them, and lets the store and the servers fail: failovers
// behind one address, by sentinels and in a cluster, a store that hangs, that loses
// its newest writes, that has no memory left, whose password changes, and servers that
// are killed and replaced.
//
// It needs redis-server, haproxy and nginx, and for the soak the official client SDKs,
// and takes a minute, in CI two. With TRIPTYCH_TEST_SCALE=long the tests run longer, and
// TestSoak runs for the time in TRIPTYCH_TEST_SOAK, such as 30m: make soak-cluster.
package scale
