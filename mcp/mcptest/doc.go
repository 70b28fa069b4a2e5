// Package mcptest talks to tables in tests: an in-memory road to a server, and
// files that pin what the tools look like from outside.
//
//	func TestGreet(t *testing.T) {
//		client := mcptest.Connect(t, table())
//		client.Initialize(mcptest.Newest())
//		if got := client.Call("greet", map[string]any{"name": "Ann"}); got.Text != "Hello, Ann" {
//			t.Errorf("got %s", got)
//		}
//	}
//
//	func TestSurface(t *testing.T) {
//		mcptest.Surface(t, "testdata/tools", table())
//	}
//
// What a client says goes through the same decoding, ordering and encoding as
// over standard input and output; only the pipes are in memory.
//
// # Golden files
//
// [Surface] keeps one file for each tool. After a change that is meant, write
// them anew and read the difference as carefully as code:
//
//	go test ./rulesets -update
//
// # Concurrency
//
// A [Client] may be used from any goroutine. All that [Connect] starts has
// ended when the test's cleanup is over; it works inside a testing/synctest
// bubble.
package mcptest
