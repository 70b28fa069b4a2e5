package console_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

var tokenField = regexp.MustCompile(`id="token" readonly value="([^"]+)"`)

func TestKeys(t *testing.T) {
	f := open(t)
	admin, key := f.key(t)
	v := f.signedIn(t, key)
	form := url.Values{
		"name": {"build <server>"}, "scope": {"rulesets:read"}, "plan": {"enterprise"}, "month": {"1000"}, "minute": {"10"},
		"expires": {"2100-01-31"}, "allow": {"127.0.0.0/8, ::1"},
	}
	status, page := v.submit(t, "/keys", form)
	wants(t, "a new key", status, page, http.StatusOK, "Copy the key now", "build &lt;server&gt;")
	token := tokenField.FindStringSubmatch(page)[1]
	parsed, err := keys.ParseToken(token)
	if err != nil {
		t.Fatal(err)
	}
	made, err := f.store.Find(t.Context(), parsed)
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2100, 2, 1, 0, 0, 0, 0, time.UTC); made.Own.Month != 1000 || made.Own.Minute != 10 || !made.Expires.Equal(want) ||
		len(made.Scopes) != 1 || len(made.Allow) != 2 || *f.by != admin.ID {
		t.Errorf("made %+v by %s", made, *f.by)
	}
	status, page = v.get(t, "/keys")
	wants(t, "the list", status, page, http.StatusOK, made.ID, "0 of 1000", "2100-02-01 00:00")
	if strings.Contains(page, token) {
		t.Error("the list has the key")
	}
	form.Set("month", "2000")
	status, page = v.submit(t, "/keys/"+made.ID, form)
	wants(t, "a change", status, page, http.StatusOK, "Saved.", "of 2000")
	for field, wrong := range map[string]string{"month": "many", "expires": "2001-01-01", "allow": "everywhere", "plan": "gold", "scope": "root"} {
		bad := url.Values{"plan": {"enterprise"}, field: {wrong}}
		status, page := v.submit(t, "/keys", bad)
		wants(t, field+" "+wrong, status, page, http.StatusUnprocessableEntity, `role="alert"`)
	}
	status, page = v.submit(t, "/keys/"+made.ID+"/rotate", url.Values{"grace": {"0s"}})
	wants(t, "rotating", status, page, http.StatusOK, "Copy the key now")
	if status, _ := f.visitor(t).post(t, "/signin", url.Values{"key": {token}}); status != http.StatusUnauthorized {
		t.Errorf("the key before works: %d", status)
	}
	status, page = v.submit(t, "/keys/"+made.ID+"/revoke", url.Values{})
	wants(t, "revoking", status, page, http.StatusOK, "Revoked.")
	status, page = v.submit(t, "/keys/"+made.ID+"/rotate", url.Values{"grace": {"0s"}})
	wants(t, "rotating a revoked key", status, page, http.StatusConflict)
	status, page = v.get(t, "/keys/key_nothere000")
	wants(t, "no key", status, page, http.StatusNotFound)
}

// Who manages keys cannot get rights by it that their own key does not have.
func TestNoEscalation(t *testing.T) {
	f := open(t)
	mighty, _ := f.key(t)
	_, key := f.key(t, console.AdminScope, "rulesets:read")
	v := f.signedIn(t, key)
	status, page := v.submit(t, "/keys", url.Values{"plan": {"enterprise"}, "scope": {"rulesets:read", "rulesets:write"}})
	wants(t, "a key with more rights", status, page, http.StatusUnprocessableEntity, "your own key does not have the scope rulesets:write")
	status, page = v.submit(t, "/keys/"+mighty.ID+"/rotate", url.Values{"grace": {"0s"}})
	wants(t, "the key of another", status, page, http.StatusForbidden, "which yours does not have")
	status, page = v.submit(t, "/keys/"+mighty.ID, url.Values{"plan": {"team"}, "scope": {"rulesets:read"}})
	wants(t, "settings of another", status, page, http.StatusForbidden, "which yours does not have")
	r, err := f.store.Get(t.Context(), mighty.ID)
	if err != nil {
		t.Fatal(err)
	}
	if r.Plan != quota.Enterprise || len(r.Scopes) != len(scopes) {
		t.Errorf("the settings of another are %+v, want them unchanged", r.Settings)
	}
}

// The toolsets of a visitor's key are bounds too: of the keys that they make, change and
// see the tokens of.
func TestNoEscalationOfToolsets(t *testing.T) {
	f := open(t)
	key := func(toolsets ...string) (keys.Record, string) {
		r, token, err := f.store.Create(t.Context(), keys.Live, keys.Settings{Name: "k", Plan: quota.Enterprise, Toolsets: toolsets})
		if err != nil {
			t.Fatal(err)
		}
		return r, token.Reveal()
	}
	_, own := key("rulesets", "core")
	v := f.signedIn(t, own)
	status, page := v.submit(t, "/keys", url.Values{"plan": {"enterprise"}, "scope": {"rulesets:read"}})
	wants(t, "a new key", status, page, http.StatusOK, "Copy the key now")
	parsed, err := keys.ParseToken(tokenField.FindStringSubmatch(page)[1])
	if err != nil {
		t.Fatal(err)
	}
	if made, err := f.store.Find(t.Context(), parsed); err != nil || !slices.Equal(made.Toolsets, []string{"core", "rulesets"}) {
		t.Errorf("a new key has the toolsets %v, %v, want those of its maker", made.Toolsets, err)
	}
	for _, c := range []struct {
		toolsets []string
		want     int
	}{
		{nil, http.StatusForbidden},
		{[]string{"debugger"}, http.StatusForbidden},
		{[]string{"rulesets", "debugger/expert"}, http.StatusForbidden},
		{[]string{"rulesets/expert", "debugger/core", "core"}, http.StatusOK},
	} {
		other, _ := key(c.toolsets...)
		status, page := v.submit(t, "/keys/"+other.ID, url.Values{"plan": {"team"}, "scope": {"rulesets:read"}})
		wants(t, "settings of a key with "+strings.Join(c.toolsets, " "), status, page, c.want)
		status, page = v.submit(t, "/keys/"+other.ID+"/rotate", url.Values{"grace": {"0s"}})
		wants(t, "the token of a key with "+strings.Join(c.toolsets, " "), status, page, c.want)
	}
}

func TestAudit(t *testing.T) {
	f := open(t)
	_, all := f.key(t)
	own, key := f.key(t, "audit:read")
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for i, r := range []audit.Record{
		{Key: own.ID, Method: "tools/call", Target: "get_ruleset", Outcome: audit.OK},
		{Key: "local", Method: "tools/call", Target: "update_ruleset", Outcome: audit.Failed, Details: map[string]string{"ruleset": "go_style"}},
		{Key: "key_other00000", Method: "http", Outcome: audit.Refused, Reason: "<wrong>"},
	} {
		r.Time = at.AddDate(0, 0, i)
		if _, err := f.trail.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.trail.Commit(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	v := f.signedIn(t, all)
	for query, want := range map[string]string{
		"": "3 records", "?text=GO_STYLE": "1 records", "?outcome=refused": "1 records", "?key=local": "1 records", "?key=fixture": "1 records", "?key=" + own.ID: "1 records",
		"?key=other": "0 records", "?from=2026-11-02": "2 records", "?to=2026-11-02": "2 records", "?from=2026-11-02&to=2026-11-02": "1 records",
	} {
		status, page := v.get(t, "/audit"+query)
		wants(t, "/audit"+query, status, page, http.StatusOK, "<p>"+want)
	}
	status, page := v.get(t, "/audit?outcome=refused")
	wants(t, "a refusal", status, page, http.StatusOK, "&lt;wrong&gt;", `<td data-l="Key" title="key_other00000">key_other00000</td>`)
	status, page = v.get(t, "/audit?text=get_ruleset")
	wants(t, "a key with a name", status, page, http.StatusOK, `<td data-l="Key" title="`+own.ID+`">fixture</td>`)
	status, page = v.get(t, "/audit?from=yesterday")
	wants(t, "a wrong date", status, page, http.StatusBadRequest)
	status, page = v.get(t, "/audit/export?text=go_style")
	if status != http.StatusOK || page != `{"seq":2,"target":"update_ruleset"}`+"\n" {
		t.Errorf("export: %d %s", status, page)
	}
	status, page = v.submit(t, "/audit/verify", url.Values{})
	wants(t, "verifying", status, page, http.StatusOK, "The trail is whole: 3 records.")

	mine := f.signedIn(t, key)
	for _, query := range []string{"", "?key=local"} {
		status, page := mine.get(t, "/audit"+query)
		wants(t, "the trail of a key", status, page, http.StatusOK, "<p>1 records", "get_ruleset")
	}
	status, page = mine.get(t, "/audit/export?key=local")
	if status != http.StatusOK || page != `{"seq":1,"target":"get_ruleset"}`+"\n" {
		t.Errorf("export of a key: %d %s", status, page)
	}
	status, page = mine.submit(t, "/audit/verify", url.Values{})
	wants(t, "verifying without the scope", status, page, http.StatusForbidden)
}

func TestSpeeds(t *testing.T) {
	f := open(t)
	_, key := f.key(t)
	v := f.signedIn(t, key)
	status, page := v.get(t, "/speeds")
	wants(t, "without speeds", status, page, http.StatusOK, "No speeds are recorded.")
	for model, ms := range map[string]int64{"slow": 2000, "fast<er>": 1000} {
		if _, err := f.book.Year(2025).Record(t.Context(), 1, aoc.Speed{LLM: model, Phase: 1, SpeedMS: ms, Timestamp: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	status, page = v.get(t, "/speeds?year=2025&plot=bars")
	wants(t, "speeds", status, page, http.StatusOK, "fast&lt;er&gt;", "1.0 s", `src="/speeds/plot.svg?plot=bars&amp;year=2025"`)
	status, page = v.get(t, "/speeds/plot.svg?plot=bars&year=2025")
	wants(t, "a plot", status, page, http.StatusOK, "<svg", "fast&lt;er&gt;")
	status, page = v.get(t, "/speeds?year=1815")
	wants(t, "no year", status, page, http.StatusBadRequest)
}

func TestServer(t *testing.T) {
	seen := debugger.SessionInfo{Target: "process 42", Client: "local"}
	seen.Status, seen.Function, seen.File, seen.Line = "stopped", "main.main", "main.go", 7
	f := open(t, func(cfg *console.Config) {
		cfg.Health = func(context.Context) []console.Fact {
			return []console.Fact{{Name: "Ready", Value: "no <disk>", Bad: true}}
		}
		cfg.Debugging = func(context.Context) []debugger.SessionInfo { return []debugger.SessionInfo{seen} }
	})
	admin, key := f.key(t)
	v := f.signedIn(t, key)
	status, page := v.get(t, "/")
	wants(t, "the overview", status, page, http.StatusOK, "no &lt;disk&gt;", "attention")
	status, page = v.get(t, "/debugger")
	wants(t, "the debugger", status, page, http.StatusOK, "process 42", "main.go:7")

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.endpoint+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"editor","version":"7"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // the session has begun
	status, page = v.get(t, "/sessions")
	wants(t, "the sessions", status, page, http.StatusOK, "1 sessions", "editor 7", "2025-06-18", admin.ID)
}

// With several servers of a store, the page of sessions says what clients have open at each.
func TestServers(t *testing.T) {
	at := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	var away error
	f := open(t, func(cfg *console.Config) {
		cfg.Servers = func(context.Context) ([]console.Server, error) {
			if away != nil {
				return nil, away
			}
			return []console.Server{
				{Name: "a <1>", Sessions: 3, Streams: 12, Debugging: 1, Seen: at, Here: true},
				{Name: "b", URL: "https://10.0.0.2:8443", Seen: at, Late: true, Open: []streamable.SessionInfo{
					{ID: "far", Principal: "key_far", Client: "editor <9>", Revision: "2025-11-25", Used: at, Running: 2},
				}},
			}, nil
		}
	})
	_, key := f.key(t)
	v := f.signedIn(t, key)
	status, page := v.get(t, "/sessions")
	wants(t, "the servers", status, page, http.StatusOK, "a &lt;1&gt; (this one)", `<td data-l="Sessions">3</td><td data-l="Streams">12</td><td data-l="Debugger sessions">1</td>`, "https://10.0.0.2:8443", "not seen lately",
		"1 sessions", `href="/audit?session=far"`, "editor &lt;9&gt;", `<td data-l="Server">b</td>`)
	away = errors.New("the store is away")
	status, page = v.get(t, "/sessions")
	wants(t, "without the store", status, page, http.StatusOK, "cannot be listed: the store is away", "No sessions.")
}
