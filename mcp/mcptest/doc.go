// Package mcptest talks to tables in tests: an in-memory road to a server, files
// that pin what the tools look like from outside, and conversations as files.
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
//	func TestConversation(t *testing.T) {
//		mcptest.Conversation(t, "testdata/conversation.txtar", func(data string) *mcp.Table { return table() })
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
// # Conversations
//
// A conversation is a txtar archive that begins with the sentence it proves.
// Its section wire is what is said, a line each:
//
//	> sent as it stands
//	< must come back exactly
//	<~ must come back, `what stands in backquotes` being a regular expression
//	<? like <~, in any order among the <? lines beside it
//	# a remark
//
// A group (?<name>…) of such an expression gives what it matches a name: in the
// lines after it, sent or expected, $name is that value. $DATA is the folder
// that the conversation's files are in.
//
// The section flags has arguments for the server, where a [Stage] can give it
// some; the section roads names the roads that it is about, where it is not about
// all; a section after/FILE says what a file of the data folder must be in the
// end, with backquotes as in <~; all other sections are files that are laid into
// that folder before. When the conversation is over, the server must have nothing
// more to say and end.
//
// Calls to one family are answered in order and everything else may overtake, so
// a conversation sends one line and awaits its answer; <? is for what the server
// says of its own accord. With -update the lines that begin with < are written
// anew.
//
// # Concurrency
//
// A [Client] may be used from any goroutine. All that [Connect] starts has
// ended when the test's cleanup is over; it works inside a testing/synctest
// bubble.
package mcptest
