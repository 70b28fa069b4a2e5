package attack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// noGoodKey shows what is no key. Each comes from an address of its own, for
// those who guess are answered later and later.
func noGoodKey(t *testing.T, s *server, token string) {
	other, _ := strings.CutSuffix(token, token[len(token)-1:])
	tests := []struct {
		name, value string
		challenge   string
	}{
		{"none", "", `Bearer realm="triptych"`},
		{"of nobody", "Bearer kdb_live_0123456789", `Bearer realm="triptych", error="invalid_token"`},
		{"cut off", "Bearer " + other, `Bearer realm="triptych", error="invalid_token"`},
		{"mistyped", "Bearer " + other + "!", `Bearer realm="triptych", error="invalid_token"`},
		{"of another kind", "Bearer " + strings.Replace(token, "live", "test", 1), `Bearer realm="triptych", error="invalid_token"`},
		{"another scheme", "Basic " + token, `Bearer realm="triptych", error="invalid_token"`},
		{"longer", "Bearer " + token + token, `Bearer realm="triptych", error="invalid_token"`},
		{"with something behind", "Bearer " + token + " x", `Bearer realm="triptych", error="invalid_token"`},
		{"of an issuer that there is none of", "Bearer aaaa.bbbb.cccc", `Bearer realm="triptych", error="invalid_token"`},
	}
	for i, tc := range tests {
		c := s.client(t, "", fmt.Sprintf("127.0.1.%d", i+1), false)
		for _, method := range []string{"POST", "GET", "DELETE", "PUT"} {
			r := c.send(t, method, create("intruder"), "Authorization", tc.value)
			r.is(t, method+" with a key: "+tc.name, 401, -32001)
			if got := r.header.Get("WWW-Authenticate"); got != tc.challenge {
				t.Errorf("%s: WWW-Authenticate: %s, want %s", tc.name, got, tc.challenge)
			}
			if got := r.header.Get("X-RateLimit-Limit"); got != "" {
				t.Errorf("%s: it shows a limit of nobody: %s", tc.name, got)
			}
		}
	}
	s.client(t, "", "127.0.1.99", false).post(t, ping, "Authorization", "", "X-Api-Key", token).is(t, "a key elsewhere", 401, -32001)
	absent(t, s, token, "intruder")
}

// absent checks that no ruleset has the name.
func absent(t *testing.T, s *server, token, name string) {
	t.Helper()
	r := s.client(t, token, "", true).post(t, tool("get_ruleset", fmt.Sprintf(`{"name":%q}`, name)))
	if !strings.Contains(r.text, "not found") {
		t.Errorf("the ruleset %s was made: %s", name, r.text)
	}
}

// foreignAddress uses a key that works from one network only.
func foreignAddress(t *testing.T, s *server, _ string) {
	_, fenced := key(t, s.data, "--allow", "127.0.2.0/24")
	s.client(t, fenced, "127.0.2.7", false).post(t, list).is(t, "from inside", 200, 0)
	outside := s.client(t, fenced, "127.0.3.7", false)
	outside.post(t, list).is(t, "from outside", 403, -32003)
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip", "True-Client-Ip", "Cf-Connecting-Ip"} {
		outside.post(t, list, name, "127.0.2.7").is(t, "from outside with "+name, 403, -32003)
	}
}

func expiry(t *testing.T, s *server, _ string) {
	_, brief := key(t, s.data, "--expires", "5s")
	c := s.client(t, brief, "", false)
	c.post(t, list).is(t, "before", 200, 0)
	eventually(t, patience, func() bool { return c.post(t, list).status == 401 })
	r := c.post(t, list)
	r.is(t, "after", 401, -32010)
	if r.Error.Message != "License expired" {
		t.Errorf("message %q, want License expired", r.Error.Message)
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, within time.Duration, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not hold within %v", within)
		}
	}
}

// revocation takes effect at once: on new requests, and on a stream that the
// key has open.
func revocation(t *testing.T, s *server, other string) {
	id, token := key(t, s.data)
	c := s.client(t, token, "", true)
	session := begin(t, c)
	stream := c.stream(t, "GET", "", "Mcp-Session-Id", session)
	c.post(t, list).is(t, "before", 200, 0)
	run(t, s.data, "key", "revoke", id)
	began := time.Now()
	for asked := began; c.post(t, list).status != 401; asked = time.Now() {
		if asked.Sub(began) > time.Second {
			t.Fatalf("a request %v after the revocation is answered", asked.Sub(began))
		}
	}
	t.Logf("revoked for all after %v", time.Since(began))
	c.post(t, list).is(t, "after", 401, -32001)
	c.post(t, list, "Mcp-Session-Id", session).is(t, "with a session that was begun before", 401, -32001)
	s.client(t, other, "", true).post(t, create("after_the_revocation")).is(t, "create_ruleset by somebody else", 200, 0)
	heard := make(chan []string, 1)
	go func() { heard <- stream.rest() }()
	select {
	case rest := <-heard:
		if len(rest) > 0 {
			t.Errorf("a stream that was open heard %q", rest)
		}
	case <-time.After(patience):
		t.Error("a stream that was open stays open")
	}
}

// fewRights uses a key that may only read puzzles.
func fewRights(t *testing.T, s *server, token string) {
	s.client(t, token, "", true).post(t, create("secret")).is(t, "create_ruleset with all rights", 200, 0)
	_, poor := key(t, s.data, "--scopes", "aoc:read")
	c := s.client(t, poor, "", true)
	if got, want := toolNames(t, c.post(t, list)), []string{"fetch_instruction"}; !slices.Equal(got, want) {
		t.Errorf("listed tools %v, want %v", got, want)
	}
	denied := map[string]string{
		create("more"):                                            "rulesets:write",
		tool("get_ruleset", `{"name":"secret"}`):                  "rulesets:read",
		tool("record_speed", `{}`):                                "aoc:write",
		line("resources/read", `{"uri":"ruleset://secret"}`):      "rulesets:read",
		line("resources/subscribe", `{"uri":"ruleset://secret"}`): "rulesets:read",
	}
	session := begin(t, c)
	for body, scope := range denied {
		r := c.post(t, body, "Mcp-Session-Id", session)
		r.is(t, body, 403, -32003)
		if got, want := r.header.Get("WWW-Authenticate"), fmt.Sprintf(`Bearer realm="triptych", error="insufficient_scope", scope=%q`, scope); got != want {
			t.Errorf("%s: WWW-Authenticate: %s, want %s", body, got, want)
		}
	}
	for _, body := range []string{
		line("resources/list", "{}"), line("prompts/list", "{}"),
		line("completion/complete", `{"ref":{"type":"ref/resource","uri":"ruleset://{name}"},"argument":{"name":"name","value":""}}`),
	} {
		if r := c.post(t, body); strings.Contains(r.text, "secret") {
			t.Errorf("%s shows what the key may not see: %s", body, r.text)
		}
	}
	hearsNothing(t, s, c, token)
	absent(t, s, token, "more")
}

const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// hearsNothing listens to changes that the key may not see.
func hearsNothing(t *testing.T, s *server, poor *client, token string) {
	t.Helper()
	listen := line("subscriptions/listen", `{`+modern+`,"notifications":{"resourceSubscriptions":["ruleset://secret"]}}`)
	stream := poor.stream(t, "POST", listen, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	if first := stream.event(); !strings.Contains(first, "acknowledged") || strings.Contains(first, "secret") {
		t.Errorf("acknowledged %s, want nothing of the ruleset", first)
	}
	s.client(t, token, "", true).post(t, tool("update_ruleset", `{"name":"secret","description":"new"}`)).is(t, "update_ruleset", 200, 0)
	heard := make(chan string, 1)
	go func() { heard <- stream.event() }()
	select {
	case text := <-heard:
		t.Errorf("heard %s", text)
	case <-time.After(300 * time.Millisecond):
	}
	stream.close()
}

func toolNames(t *testing.T, r *reply) []string {
	t.Helper()
	var result struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Result, &result); err != nil {
		t.Fatalf("%v: %s", err, r.text)
	}
	names := []string{}
	for _, one := range result.Tools {
		names = append(names, one.Name)
	}
	return names
}

// begin begins a session and returns its id.
func begin(t *testing.T, c *client) string {
	t.Helper()
	r := c.post(t, line("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"siege","version":"1"}}`))
	id := r.header.Get("Mcp-Session-Id")
	if r.status != 200 || id == "" {
		t.Fatalf("initialize: %d without a session: %s", r.status, r.text)
	}
	if r, err := c.try(context.WithoutCancel(t.Context()), "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id); err != nil || r.status != 202 {
		t.Fatalf("initialized: %+v, %v", r, err)
	}
	return id
}
