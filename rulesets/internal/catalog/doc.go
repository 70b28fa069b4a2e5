// Package catalog finds rulesets of a store by words, tags, regular expressions and
// the files that they apply to. It keeps an index in memory.
//
//	c := catalog.New(store)
//	go c.Watch(ctx, changed) // in place of store.Watch
//	found, err := c.Find(ctx, catalog.Query{Text: "error handling", Limit: 10})
//
// # Following changes
//
// The first search reads the store; later ones read again what has changed since. A
// catalog that watches its store hears of changes from there, by any process or hand.
// What a store cannot announce (updates in a Redis server without keyspace events) is
// found by comparing the index with the store's list, a minute after the last time, in
// the background. Changes by this process itself are known at once: make them through
// [Catalog.Store].
//
// A catalog that does not watch reads the store for each search, as commands do, which
// search once.
//
// # Memory
//
// An entry has the name, the times, the tags and the front matter, and equal tags and
// front matter are shared. Texts stay in the store: those of a page of results are read
// when they are shown, and regular expressions read all candidates.
//
// # Concurrency
//
// Methods may be called from any goroutine. [Catalog.Watch] has goroutines besides its
// caller's, and waits for their end. Locks are taken in the order load, mu, then that
// of the words.
package catalog
