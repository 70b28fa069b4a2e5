package debugger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A fakeTrail has records and says what it is told.
type fakeTrail struct {
	records []debugger.AuditRecord
	proof   debugger.Proof
	err     error
	asked   debugger.AuditFilter // last
}

func (f *fakeTrail) Records(_ context.Context, filter debugger.AuditFilter) iter.Seq2[debugger.AuditRecord, error] {
	f.asked = filter
	return func(yield func(debugger.AuditRecord, error) bool) {
		if f.err != nil {
			yield(debugger.AuditRecord{}, f.err)
			return
		}
		for _, r := range f.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (f *fakeTrail) Verify(context.Context) (debugger.Proof, error) { return f.proof, f.err }

// A fakeAccounts gives the same account to all, whose ids it remembers.
type fakeAccounts struct {
	account debugger.Account
	err     error
	asked   string
}

func (f *fakeAccounts) Account(_ context.Context, p host.Principal) (debugger.Account, error) {
	f.asked = p.ID
	return f.account, f.err
}

// at is a time of the documented day.
func at(clock string) time.Time {
	t, err := time.Parse(time.DateTime, "2024-12-05 "+clock)
	if err != nil {
		panic(err)
	}
	return t
}

// ask sends one request of a caller to the family, after others.
func ask(t *testing.T, cfg *debugger.Config, principal host.Principal, requests ...string) string {
	t.Helper()
	env := host.Env{Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return at("13:00:00") }, Getenv: func(string) string { return "" }}
	table, err := cfg.Open(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table)
	if err != nil {
		t.Fatal(err)
	}
	h := server.Bind(host.Caller{Principal: principal, Connection: true}, nil)
	var answer string
	for _, request := range requests {
		method, params, _ := strings.Cut(request, " ")
		req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: method, Params: []byte(params)}
		answer = string(jsonrpc.Answer(t.Context(), h, &req, nil))
	}
	return answer
}

// call calls a tool on the baseline and returns the text of the result.
func call(t *testing.T, cfg *debugger.Config, principal host.Principal, tool, arguments string) string {
	t.Helper()
	got := ask(t, cfg, principal, fmt.Sprintf(`tools/call {"name":%q,"arguments":%s}`, tool, arguments))
	var answer struct {
		Result struct {
			Content []struct{ Type, Text string }
		}
	}
	if err := json.Unmarshal([]byte(got), &answer); err != nil || len(answer.Result.Content) != 1 || answer.Result.Content[0].Type != "text" {
		t.Fatalf("answer %s: %v", got, err)
	}
	return answer.Result.Content[0].Text
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var developer = debugger.Account{
	Plan: "Developer", Status: "Active", From: at("00:00:00").AddDate(0, 0, -4), To: at("00:00:00").AddDate(0, 0, 27),
	Used: 4521, Limit: 10000, Expires: at("00:00:00").AddDate(1, 0, 0),
}

// The texts of the contract, to the byte.
func TestDocumentedTexts(t *testing.T) {
	accounts := &fakeAccounts{account: developer}
	trail := &fakeTrail{
		records: []debugger.AuditRecord{
			{Time: at("12:34:56"), Key: "dev@example.com", Method: "initialize", Outcome: "ok"},
			{Time: at("12:34:58"), Method: "tools/call", Target: "debugger/attach", Outcome: "ok", Details: map[string]string{"pid": "12345"}},
			{Time: at("12:35:02"), Method: "tools/call", Target: "debugger/set_breakpoint", Outcome: "ok", Details: map[string]string{"address": "0x401000"}},
			{Time: at("12:35:15"), Method: "tools/call", Target: "debugger/step_forward", Outcome: "ok"},
			{Time: at("12:35:20"), Method: "tools/call", Target: "debugger/get_variables", Outcome: "ok", Details: map[string]string{"scope": "local"}},
			{Time: at("12:36:45"), Method: "session/end", Outcome: "ok"},
		},
		proof: debugger.Proof{Hash: "a1b2c3"},
	}
	cfg := &debugger.Config{Accounts: accounts, Trail: trail}
	key := host.Principal{ID: "kdb_1"}
	same(t, call(t, cfg, key, "debugger/quota_status", `{}`),
		"Quota Status:\n  Plan: Developer\n  Period: 2024-12-01 to 2024-12-31\n  Used: 4,521 / 10,000 requests\n  Remaining: 5,479 requests")
	same(t, call(t, cfg, key, "debugger/license_info", `{}`),
		"License Information:\n  Type: Developer\n  Status: Active\n  Expires: 2025-12-05\n  Features: Time-travel, Audit trails, Bug detection")
	same(t, call(t, cfg, key, "debugger/get_comprehensive_audit", `{"start_time":"2024-12-05T00:00:00Z"}`),
		"Audit Trail (2024-12-05):\n\n[12:34:56] Session started - user: dev@example.com\n[12:34:58] Attached to PID 12345\n"+
			"[12:35:02] Breakpoint set at 0x401000\n[12:35:15] Step forward executed\n[12:35:20] Variables inspected (scope: local)\n"+
			"[12:36:45] Session ended\n\nHash chain verified: SHA256:a1b2c3")
	if accounts.asked != "kdb_1" {
		t.Errorf("the account of %q was asked for", accounts.asked)
	}
}

// A local user has no limits; what is used is counted all the same.
func TestLocalUser(t *testing.T) {
	trail := &fakeTrail{records: make([]debugger.AuditRecord, 1234)}
	cfg := &debugger.Config{Trail: trail}
	same(t, call(t, cfg, host.Local(), "debugger/quota_status", `{}`),
		"Quota Status:\n  Plan: Local\n  Period: 2024-12-01 to 2024-12-31\n  Used: 1,234 / unlimited requests\n  Remaining: unlimited requests")
	same(t, call(t, cfg, host.Local(), "debugger/license_info", `{}`),
		"License Information:\n  Type: Local\n  Status: Active\n  Expires: never\n  Features: Time-travel, Audit trails, Bug detection")
	same(t, call(t, &debugger.Config{}, host.Local(), "debugger/quota_status", `{}`),
		"Quota Status:\n  Plan: Local\n  Period: 2024-12-01 to 2024-12-31\n  Used: 0 / unlimited requests\n  Remaining: unlimited requests")
}

// Numbers have separators and are never below zero.
func TestQuotaNumbers(t *testing.T) {
	for _, tt := range []struct {
		used, limit int64
		want        string
	}{
		{0, 100, "  Used: 0 / 100 requests\n  Remaining: 100 requests"},
		{999, 1000, "  Used: 999 / 1,000 requests\n  Remaining: 1 requests"},
		{101, 100, "  Used: 101 / 100 requests\n  Remaining: 0 requests"},
		{1, 1234567890, "  Used: 1 / 1,234,567,890 requests\n  Remaining: 1,234,567,889 requests"},
		{0, 0, "  Used: 0 / 0 requests\n  Remaining: 0 requests"},
		{100000, -1, "  Used: 100,000 / unlimited requests\n  Remaining: unlimited requests"},
	} {
		account := developer
		account.Used, account.Limit = tt.used, tt.limit
		got := call(t, &debugger.Config{Accounts: &fakeAccounts{account: account}}, host.Principal{ID: "k"}, "debugger/quota_status", `{}`)
		if !strings.HasSuffix(got, tt.want) {
			t.Errorf("%d of %d: got %q, want the end %q", tt.used, tt.limit, got, tt.want)
		}
	}
}

// What the trail is asked for: a key sees its own records, a local user all.
func TestAuditFilters(t *testing.T) {
	day := at("00:00:00")
	now := at("13:00:00").Add(time.Microsecond)
	for _, tt := range []struct {
		name, caller, arguments, title string
		want                           debugger.AuditFilter
	}{
		{"today", "local", `{}`, "2024-12-05", debugger.AuditFilter{From: day, To: now}},
		{"own records", "k", `{}`, "2024-12-05", debugger.AuditFilter{From: day, To: now, Key: "k"}},
		{"session", "local", `{"session_id":"s"}`, "2024-12-05", debugger.AuditFilter{From: day, To: now, Session: "s"}},
		{"null is absent", "local", `{"start_time":null}`, "2024-12-05", debugger.AuditFilter{From: day, To: now}},
		{"from", "local", `{"start_time":"2024-12-04T23:00:00+01:00"}`, "2024-12-04 to 2024-12-05", debugger.AuditFilter{From: day.Add(-2 * time.Hour), To: now}},
		{"between", "local", `{"start_time":"2024-12-05T01:00:00Z","end_time":"2024-12-05T02:00:00.5Z"}`, "2024-12-05", debugger.AuditFilter{From: at("01:00:00"), To: at("02:00:00").Add(time.Second / 2)}},
		{"end only", "local", `{"end_time":"2024-12-04T12:00:00"}`, "2024-12-04", debugger.AuditFilter{From: day.AddDate(0, 0, -1), To: day.Add(-12 * time.Hour)}},
		{"a whole day", "local", `{"start_time":"2024-12-03","end_time":"2024-12-03"}`, "2024-12-03", debugger.AuditFilter{From: day.AddDate(0, 0, -2), To: day.AddDate(0, 0, -1)}},
		{"basic form", "local", `{"start_time":"20241205T010000Z","end_time":"20241205"}`, "2024-12-05", debugger.AuditFilter{From: at("01:00:00"), To: day.AddDate(0, 0, 1)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trail := &fakeTrail{proof: debugger.Proof{Hash: "00"}}
			got := call(t, &debugger.Config{Trail: trail}, host.Principal{ID: tt.caller}, "debugger/get_comprehensive_audit", tt.arguments)
			same(t, got, "Audit Trail ("+tt.title+"):\n\nNo records\n\nHash chain verified: SHA256:00")
			if diff := cmp.Diff(tt.want, trail.asked); diff != "" {
				t.Errorf("filter (-want +got):\n%s", diff)
			}
		})
	}
}

// Lines of all kinds of records. A record cannot make a line of its own.
func TestAuditLines(t *testing.T) {
	for _, tt := range []struct {
		record debugger.AuditRecord
		want   string
	}{
		{debugger.AuditRecord{Method: "tools/call", Target: "debugger/attach", Outcome: "ok"}, "Attached"},
		{debugger.AuditRecord{Method: "tools/call", Target: "debugger/attach", Outcome: "error", Code: -32004, Reason: "Process not found"}, "debugger/attach failed - -32004: Process not found"},
		{debugger.AuditRecord{Method: "tools/call", Target: "get_ruleset", Outcome: "ok"}, "get_ruleset called"},
		{debugger.AuditRecord{Method: "resources/read", Target: "aoc", Outcome: "ok"}, "resources/read aoc"},
		{debugger.AuditRecord{Method: "tools/list", Outcome: "ok"}, "tools/list"},
		{debugger.AuditRecord{Method: "tools/list", Outcome: "refused", Code: -32001}, "tools/list refused - -32001"},
		{debugger.AuditRecord{Method: "x", Outcome: "refused", Reason: "address"}, "x refused - address"},
		{debugger.AuditRecord{Method: "tools/call", Target: "a\n[00:00:00] b\u202ec\u2028", Outcome: "ok"}, "a [00:00:00] bc  called"},
	} {
		tt.record.Time = at("01:02:03")
		trail := &fakeTrail{records: []debugger.AuditRecord{tt.record}, proof: debugger.Proof{Hash: "00"}}
		got := call(t, &debugger.Config{Trail: trail}, host.Local(), "debugger/get_comprehensive_audit", `{}`)
		same(t, got, "Audit Trail (2024-12-05):\n\n[01:02:03] "+tt.want+"\n\nHash chain verified: SHA256:00")
	}
}

// A longer time shows days in its lines, a broken trail where it breaks, and
// more records than fit where to go on.
func TestAuditAnswers(t *testing.T) {
	trail := &fakeTrail{proof: debugger.Proof{Hash: "00", Broken: "chain 1: 000001.jsonl line 7\nx"}}
	trail.records = []debugger.AuditRecord{{Time: at("01:02:03"), Method: "ping", Outcome: "ok"}}
	cfg := &debugger.Config{Trail: trail}
	same(t, call(t, cfg, host.Local(), "debugger/get_comprehensive_audit", `{"start_time":"2024-12-01"}`),
		"Audit Trail (2024-12-01 to 2024-12-05):\n\n[2024-12-05 01:02:03] ping\n\nHash chain broken: chain 1: 000001.jsonl line 7 x")
	trail.records = nil
	for i := 50_000; i >= 0; i-- { // those that ended first began last
		trail.records = append(trail.records, debugger.AuditRecord{Time: at("01:00:00").Add(time.Duration(i) * time.Millisecond), Method: "ping", Outcome: "ok"})
	}
	got := call(t, cfg, host.Local(), "debugger/get_comprehensive_audit", `{}`)
	if want := ":\n\n[01:00:00] ping\n"; !strings.Contains(got, want) {
		t.Errorf("the first record is not first: %.100q", got)
	}
	if want := "\nMore records follow; go on with start_time 2024-12-05T01:00:05Z\n\nHash chain"; !strings.Contains(got, want) || strings.Count(got, "] ping\n") != 5000 {
		t.Errorf("got %d lines and the end %q", strings.Count(got, "] ping\n"), got[len(got)-200:])
	}
}

func TestErrors(t *testing.T) {
	down := errors.New("failed to reach Valkey: connection refused")
	for _, tt := range []struct {
		name      string
		cfg       debugger.Config
		tool      string
		arguments string
		want      string
	}{
		{
			"bad times",
			debugger.Config{},
			"get_comprehensive_audit", `{"start_time":"yesterday","end_time":"2024-13-01"}`,
			`{"code":-32602,"message":"Invalid params","data":{"details":"start_time must be an ISO 8601 timestamp such as 2024-12-05T00:00:00Z; end_time must be an ISO 8601 timestamp such as 2024-12-05T00:00:00Z"}}`,
		},
		{
			"end first",
			debugger.Config{},
			"get_comprehensive_audit", `{"start_time":"2024-12-05","end_time":"2024-12-04"}`,
			`{"code":-32602,"message":"Invalid params","data":{"details":"end_time must not be before start_time"}}`,
		},
		{
			"wrong type",
			debugger.Config{},
			"get_comprehensive_audit", `{"session_id":1}`,
			`{"code":-32602,"message":"Invalid params","data":{"details":"session_id must be a string"}}`,
		},
		{"no trail", debugger.Config{}, "get_comprehensive_audit", `{}`, `{"code":-32603,"message":"no audit trail is kept"}`},
		{"trail down", debugger.Config{Trail: &fakeTrail{err: down}}, "get_comprehensive_audit", `{}`, `{"code":-32603,"message":"failed to reach Valkey: connection refused"}`},
		{"accounts down", debugger.Config{Accounts: &fakeAccounts{err: down}}, "quota_status", `{}`, `{"code":-32603,"message":"failed to reach Valkey: connection refused"}`},
		{"license down", debugger.Config{Accounts: &fakeAccounts{err: down}}, "license_info", `{}`, `{"code":-32603,"message":"failed to reach Valkey: connection refused"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, &tt.cfg, host.Local(), fmt.Sprintf(`tools/call {"name":"debugger/%s","arguments":%s}`, tt.tool, tt.arguments))
			same(t, got, `{"jsonrpc":"2.0","id":1,"error":`+tt.want+`}`)
		})
	}
}

// Keys without the scope may not ask.
func TestScopes(t *testing.T) {
	for tool, scope := range map[string]mcp.Scope{
		"debugger/quota_status": "debug:read", "debugger/license_info": "debug:read", "debugger/get_comprehensive_audit": "audit:read",
	} {
		request := fmt.Sprintf(`tools/call {"name":%q,"arguments":{}}`, tool)
		cfg := &debugger.Config{Trail: &fakeTrail{}}
		if got := ask(t, cfg, host.Principal{ID: "k", Scopes: []mcp.Scope{scope}}, request); !strings.Contains(got, `"result"`) {
			t.Errorf("%s with %s: %s", tool, scope, got)
		}
		if got := ask(t, cfg, host.Principal{ID: "k", Scopes: []mcp.Scope{"document:write"}}, request); !strings.Contains(got, `"code":-32003`) {
			t.Errorf("%s without its scope: %s", tool, got)
		}
	}
}

// The family alone is the documented server.
func TestBaseline(t *testing.T) {
	same(t, ask(t, &debugger.Config{}, host.Local(), `initialize {}`),
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"kindly-debugger","version":"1.0.0"}}}`)
}

// Clients of revisions that have it get the answer as data, too.
func TestStructuredContent(t *testing.T) {
	trail := &fakeTrail{
		records: []debugger.AuditRecord{{Time: at("01:02:03"), Key: "k", Method: "ping", Outcome: "ok"}},
		proof:   debugger.Proof{Hash: "00"},
	}
	cfg := &debugger.Config{Accounts: &fakeAccounts{account: developer}, Trail: trail}
	initialize := `initialize {"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`
	for tool, want := range map[string]string{
		"quota_status": `{"plan":"Developer","period_start":"2024-12-01","period_end":"2024-12-31","used":4521,"limit":10000,"remaining":5479}`,
		"license_info": `{"type":"Developer","status":"Active","expires":"2025-12-05","features":["Time-travel","Audit trails","Bug detection"]}`,
		"get_comprehensive_audit": `{"start_time":"2024-12-05T00:00:00Z","end_time":"2024-12-05T13:00:00.000001Z","records":[` +
			`{"time":"2024-12-05T01:02:03Z","text":"ping","key":"k","method":"ping","outcome":"ok"}],"verified":true,"hash":"00"}`,
	} {
		got := ask(t, cfg, host.Local(), initialize, `tools/call {"name":"debugger_`+tool+`","arguments":{}}`)
		var answer struct {
			Result struct{ StructuredContent json.RawMessage }
		}
		if err := json.Unmarshal([]byte(got), &answer); err != nil {
			t.Fatal(err)
		}
		same(t, string(answer.Result.StructuredContent), want)
	}
}
