package rulesets

import (
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/internal/lastread"
)

// with returns another client of the same server as the family's caller sees it.
func (h *house) with(server *mcp.Server, caller host.Caller) *house {
	c := *h
	c.handler = server.Bind(caller, nil)
	return &c
}

// negotiate makes the client one that has negotiated a revision with sessions.
func (h *house) negotiate() *house {
	h.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`)
	return h
}

// newServer returns a server of the family on the store of h.
func (h *house) newServer() *mcp.Server {
	h.t.Helper()
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, newTools(h.store, LabelRules{}, Scan{mode: "off"}, slog.New(slog.DiscardHandler)).table())
	if err != nil {
		h.t.Fatal(err)
	}
	return server
}

// pair returns two negotiated clients, of which the first has created the ruleset a and the
// second has read it.
func pair(t *testing.T) (ann, bob *house) {
	h := open(t)
	server := h.newServer()
	ann = h.with(server, host.Caller{Principal: host.Local(), Connection: true}).negotiate()
	bob = h.with(server, host.Caller{Principal: host.Local(), Connection: true}).negotiate()
	ann.texts("create_ruleset", `{"name":"a","description":"d","markdown":"one\n"}`)
	bob.texts("get_ruleset", `{"name":"a"}`)
	return ann, bob
}

// A change of a ruleset that was read in the session is checked against what was read. The
// error names both revisions, shows the difference and how to go on.
func TestChangeOfWhatWasRead(t *testing.T) {
	const told = "failed to %s ruleset: ruleset 'a' was changed in the meantime and is at revision 2, while you have read revision 1. " +
		"Read it, merge, and use if_rev 2. What changed since:\n--- a@1\n+++ a@2\n@@ -2,4 +2,4 @@\n tags: []\n ---\n-one\n+two\n"
	for _, tc := range []struct{ verb, tool, args string }{
		{"update", "update_ruleset", `{"name":"a","markdown":"three\n"}`},
		{"delete", "delete_ruleset", `{"name":"a"}`},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			ann, bob := pair(t)
			ann.texts("update_ruleset", `{"name":"a","markdown":"two\n"}`)
			text, isError := bob.call(tc.tool, tc.args)
			if want := fmt.Sprintf(told, tc.verb); !isError || !sameConflict(text, want) {
				t.Errorf("got %q, want %q", text, want)
			}
			bob.texts("get_ruleset", `{"name":"a"}`)
			bob.texts(tc.tool, tc.args)
		})
	}
}

// sameConflict compares two conflicts but for the lines of the hunk's head.
func sameConflict(got, want string) bool {
	cut := func(s string) string {
		before, after, _ := strings.Cut(s, "@@ ")
		_, after, _ = strings.Cut(after, "tags: []")
		return before + after
	}
	return cut(got) == cut(want)
}

// A client knows what it has written itself, and what it gives as if_rev goes before what it
// has read. 0 is no check.
func TestOwnChangesAreKnown(t *testing.T) {
	ann, bob := pair(t)
	for i := range 3 {
		bob.texts("update_ruleset", fmt.Sprintf(`{"name":"a","markdown":"%d\n"}`, i))
	}
	if text, isError := ann.call("update_ruleset", `{"name":"a","description":"new"}`); !isError {
		t.Errorf("the client that created it wrote over revisions 2 to 4: %s", text)
	}
	ann.texts("update_ruleset", `{"name":"a","description":"new","if_rev":4}`)
	ann.texts("update_ruleset", `{"name":"a","description":"newer"}`)
	bob.texts("update_ruleset", `{"name":"a","markdown":"over all\n","if_rev":0}`)
}

// A revision that was asked for by number is older than the one that was read last.
func TestOldRevisionsAreNoReads(t *testing.T) {
	ann, bob := pair(t)
	ann.texts("update_ruleset", `{"name":"a","markdown":"two\n"}`)
	bob.texts("get_ruleset", `{"name":"a"}`)
	bob.texts("get_ruleset", `{"name":"a","rev":1}`)
	bob.texts("update_ruleset", `{"name":"a","markdown":"three\n"}`)
}

// A resource that was read counts, too.
func TestResourcesAreReads(t *testing.T) {
	ann, bob := pair(t)
	ann.texts("update_ruleset", `{"name":"a","markdown":"two\n"}`)
	bob.ask("resources/read", `{"uri":"ruleset://a"}`)
	ann.texts("update_ruleset", `{"name":"a","markdown":"three\n"}`)
	if text, isError := bob.call("update_ruleset", `{"name":"a","markdown":"four\n"}`); !isError || !strings.Contains(text, "you have read revision 2") {
		t.Error(text)
	}
}

// The operations of a batch are checked, each ruleset once.
func TestBatchOfWhatWasRead(t *testing.T) {
	ann, bob := pair(t)
	ann.texts("update_ruleset", `{"name":"a","markdown":"two\n"}`)
	for _, op := range []string{`"op":"update","name":"a","markdown":"x"`, `"op":"put","name":"a","markdown":"x"`, `"op":"delete","name":"a"`} {
		if text, isError := bob.call("apply_rulesets", `{"operations":[{`+op+`}]}`); !isError || !strings.Contains(text, "at revision 2, while you have read revision 1") {
			t.Errorf("%s: %s", op, text)
		}
	}
	bob.texts("get_ruleset", `{"name":"a"}`)
	bob.texts("apply_rulesets", `{"operations":[{"op":"update","name":"a","markdown":"x"},{"op":"update","name":"a","description":"y"},{"op":"create","name":"b","markdown":"z"}]}`)
	bob.texts("update_ruleset", `{"name":"a","markdown":"known\n"}`)
	ann.texts("update_ruleset", `{"name":"b","markdown":"changed\n"}`)
	if text, isError := bob.call("delete_ruleset", `{"name":"b"}`); !isError {
		t.Error(text)
	}
}

// Clients that name no revision write as the documents say, whatever they have read.
func TestBaselineIsNotChecked(t *testing.T) {
	h := open(t)
	server := h.newServer()
	ann := h.with(server, host.Caller{Principal: host.Local(), Connection: true})
	bob := h.with(server, host.Caller{Principal: host.Local(), Connection: true})
	ann.texts("create_ruleset", `{"name":"a","description":"d","markdown":"one\n"}`)
	bob.texts("get_ruleset", `{"name":"a"}`)
	ann.texts("update_ruleset", `{"name":"a","markdown":"two\n"}`)
	bob.texts("update_ruleset", `{"name":"a","markdown":"three\n"}`)
}

// Nothing is kept of a session that has ended.
func TestEndOfSession(t *testing.T) {
	h := open(t)
	tools := newTools(h.store, LabelRules{}, Scan{mode: "off"}, slog.New(slog.DiscardHandler))
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, tools.table())
	if err != nil {
		t.Fatal(err)
	}
	session := host.NewSession("s")
	ann := h.with(server, host.Caller{Principal: host.Local(), Session: session}).negotiate()
	ann.texts("create_ruleset", `{"name":"a","description":"d","markdown":"one\n"}`)
	who := lastread.Reader{Principal: "local", Session: "s"}
	if rev, err := tools.reads.Last(t.Context(), who, "a"); rev != 1 || err != nil {
		t.Fatal(rev, err)
	}
	server.EndSession("session:s")
	if rev, err := tools.reads.Last(t.Context(), who, "a"); rev != 0 || err != nil {
		t.Error(rev, err)
	}
}

// One hundred edits by ten clients at one time, each of which reads, adds a line and writes,
// without if_rev: each is in the text at the end, or was refused and made again. The clients
// have a session each, or none and a connection of their own.
func TestConcurrentEdits(t *testing.T) {
	for name, client := range map[string]func(h *house, server *mcp.Server, n int) *house{
		"sessions": func(h *house, server *mcp.Server, n int) *house {
			return h.with(server, host.Caller{Principal: host.Local(), Session: host.NewSession(fmt.Sprint(n))}).negotiate()
		},
		"connections": func(h *house, server *mcp.Server, n int) *house {
			addr := netip.AddrPortFrom(netip.MustParseAddr("10.0.0.1"), uint16(4000+n))
			return h.with(server, host.Caller{Principal: host.Local(), Addr: addr, Revision: host.RevisionNamed("2025-11-25")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			server := h.newServer()
			client(h, server, 100).texts("create_ruleset", `{"name":"a","description":"d","markdown":"start"}`)
			const clients, edits = 10, 10
			var all sync.WaitGroup
			for n := range clients {
				all.Go(func() {
					c := client(h, server, n)
					for e := range edits {
						c.append(fmt.Sprintf("%d-%d", n, e))
					}
				})
			}
			all.Wait()
			r, err := h.store.Get(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			if words := strings.Fields(r.Markdown); len(words) != clients*edits+1 || r.Rev != clients*edits+1 {
				t.Errorf("%d of %d edits are left at revision %d", len(words)-1, clients*edits, r.Rev)
			}
		})
	}
}

// append reads the ruleset a, adds a word to its text and writes it, until it succeeds.
func (h *house) append(word string) {
	for range 1000 {
		text := h.texts("get_ruleset", `{"name":"a"}`)[0]
		_, markdown, _ := strings.Cut(text, "\n---\n\n")
		answer, isError := h.contents("update_ruleset", `{"name":"a","markdown":"`+markdown+` `+word+`"}`)
		if !isError {
			return
		}
		if !strings.Contains(answer[0], "was changed in the meantime") {
			h.t.Errorf("%s: %q", word, answer)
			return
		}
	}
	h.t.Errorf("%s: always a conflict", word)
}

// A label that a batch moves first does not take the check from the change that follows.
func TestBatchThatLabelsFirst(t *testing.T) {
	ann, bob := pair(t)
	ann.texts("update_ruleset", `{"name":"a","markdown":"two\n"}`)
	const ops = `{"operations":[{"op":"label","name":"a","label":"stable","rev":1},{"op":"update","name":"a","markdown":"x"}]}`
	if text, isError := bob.call("apply_rulesets", ops); !isError || !strings.Contains(text, "at revision 2, while you have read revision 1") {
		t.Error(text)
	}
	bob.texts("get_ruleset", `{"name":"a"}`)
	bob.texts("apply_rulesets", ops)
}

// A client whose key has a label reads the revision of the label, also after it has written a
// later one, which it knows.
func TestReadsOfABoundKey(t *testing.T) {
	h := open(t)
	server := h.newServer()
	ann := h.with(server, host.Caller{Principal: host.Local(), Connection: true}).negotiate()
	ann.texts("create_ruleset", `{"name":"a","description":"d","markdown":"one\n"}`)
	ann.texts("label_ruleset", `{"name":"a","label":"stable","rev":1}`)
	bound := host.Local()
	bound.Label = "stable"
	bob := h.with(server, host.Caller{Principal: bound, Connection: true}).negotiate()
	for n := range 3 {
		bob.texts("get_ruleset", `{"name":"a"}`)
		bob.ask("resources/read", `{"uri":"ruleset://a"}`)
		bob.texts("update_ruleset", fmt.Sprintf(`{"name":"a","markdown":"%d\n"}`, n))
	}
	ann.texts("get_ruleset", `{"name":"a"}`)
	ann.texts("update_ruleset", `{"name":"a","markdown":"of another\n"}`)
	if text, isError := bob.call("update_ruleset", `{"name":"a","markdown":"over it\n"}`); !isError || !strings.Contains(text, "while you have read revision 4") {
		t.Error(text)
	}
}
