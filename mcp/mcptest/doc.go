// Package mcptest tests tool tables: with an in-memory client, with golden files of
// the tools as clients see them, and with conversations in files.
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
// Messages are decoded, ordered and encoded as over standard input and output; only
// the pipes are in memory.
//
// # Golden files
//
// [Surface] keeps one file per tool. After an intended change, rewrite the files and
// review the difference as carefully as code:
//
//	go test ./rulesets -update
//
// # Conversations
//
// A conversation is a txtar archive that begins with the sentence it proves. Its
// section wire lists the messages, one per line:
//
//	> is sent as it is
//	< must be received exactly
//	<~ must be received; `text in backquotes` is a regular expression
//	<? is like <~, in any order among adjacent <? lines
//	# is a comment
//
// A group (?<name>…) in a regular expression defines a name: in the following
// lines, sent or expected, $name is replaced by the matched text. $DATA is the data
// folder.
//
// Other sections:
//
//	flags       arguments of the server, if the [Replay] supports them
//	transports  names of the transports to run over; all if missing
//	after/FILE  expected contents of a file in the data folder at the end
//	FILE        a file to create in the data folder at the start
//
// After the last line the server must send nothing more and exit cleanly.
//
// Calls to one family are answered in order; other messages may overtake them. So a
// conversation usually sends one line and waits for its answer. Use <? for
// unsolicited messages. With -update, the lines that begin with < are rewritten.
//
// # Concurrency
//
// A [Client] may be used by several goroutines. Everything that [Connect] starts
// has ended after the test's cleanup, so it works in a testing/synctest bubble.
package mcptest
