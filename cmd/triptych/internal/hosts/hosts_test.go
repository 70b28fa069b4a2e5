package hosts_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/hosts"
)

// Each rule about tools finds what it is for.
func TestToolFaults(t *testing.T) {
	const object = `{"type":"object"}`
	for tool, want := range map[string]string{
		`{"name":"a","inputSchema":` + object + `}`:                                                                                              "",
		`{"name":"a/b","inputSchema":` + object + `}`:                                                                                            "name",
		`{"name":"` + strings.Repeat("a", 65) + `","inputSchema":` + object + `}`:                                                                "name",
		`{"name":"a","inputSchema":{}}`:                                                                                                          "no type object",
		`{"name":"a"}`:                                                                                                                           "no type object",
		`{"name":"a","inputSchema":{"type":"object","anyOf":[]}}`:                                                                                "anyOf",
		`{"name":"a","inputSchema":` + object + `,"outputSchema":{"type":"object","$ref":"#/a"}}`:                                                "$ref",
		`{"name":"a","inputSchema":{"type":"object","properties":{"c":{"anyOf":[{"type":"string"}]}}}}`:                                          "",
		`{"name":"a","inputSchema":{"type":"object","properties":{"c":{"type":"array","items":{}}}}}`:                                            "items",
		`{"name":"a","inputSchema":{"type":"object","properties":{"c":{"type":"array"}}}}`:                                                       "items",
		`{"name":"a","inputSchema":{"type":"object","properties":{"c d":{"type":"string"}}}}`:                                                    "match",
		`{"name":"a","inputSchema":{"type":"object","additionalProperties":{"type":"thing"}}}`:                                                   "thing",
		`{"name":"a","description":"` + strings.Repeat("b", 1025) + `","inputSchema":` + object + `}`:                                            "1025 bytes",
		`{"name":"a","inputSchema":` + object[:len(object)-1] + strings.Repeat(`,"items":{"type":"array"`, 100) + strings.Repeat("}", 101) + `}`: "too deep",
		`{"name":7}`: "cannot be read",
	} {
		got := strings.Join(hosts.ToolFaults(json.RawMessage(tool)), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%.200s: got %q, want one with %q", tool, got, want)
		}
	}
}

// A wrong server is each kind of server that hosts do not work with.
var wrongServers = map[hosts.Trouble]http.HandlerFunc{
	hosts.Unauthorized: answers(401, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Authentication failed","data":{"details":"the key is unknown"}}}`),
	hosts.Forbidden:    answers(403, `no`),
	hosts.WrongPath:    answers(404, `404 page not found`),
	hosts.Quota:        answers(429, `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Quota exceeded"}}`),
	hosts.Plain:        answers(400, "This server speaks HTTPS; use https:// in its URL."),
	hosts.NoMCP:        answers(200, "<!DOCTYPE html>\x1b[31m"),
	hosts.Refused:      answers(200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}`),
	hosts.Redirected: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://elsewhere.example/mcp", http.StatusTemporaryRedirect)
	},
	hosts.NoAnswer: func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // then the server notices that the client has gone
		<-r.Context().Done()
	},
	hosts.Schemas: func(w http.ResponseWriter, r *http.Request) {
		answers(200, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","supportedVersions":["2026-07-28"],"tools":[{"name":"a b","inputSchema":{}}]}}`)(w, r)
	},
}

func answers(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) // the client reads it
	}
}

// Every host finds every trouble, names it by something to see and something to do, and stops
// in time.
func TestTroubles(t *testing.T) {
	for want, serve := range wrongServers {
		t.Run(string(want), func(t *testing.T) {
			web := httptest.NewServer(serve)
			t.Cleanup(web.Close)
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			visit := hosts.Visit{URL: web.URL + "/mcp", HTTP: client, Patience: 200 * time.Millisecond}
			if want != hosts.NoAnswer {
				visit.Patience = 20 * time.Second
			}
			began := time.Now()
			for i := range hosts.All {
				r := visit.Play(t.Context(), &hosts.All[i])
				if r.Trouble != want || r.At == "" {
					t.Errorf("%s: %+v, want %s", r.Host.Title, r, want)
				}
				sees, do := r.Sees(web.URL), r.Do()
				if sees == "" || do == "" || strings.ContainsAny(sees+do+r.Reason(web.URL), "\x1b\n") || strings.Contains(sees, "{text}") {
					t.Errorf("%s: shows %q, %q, do %q", r.Host.Title, sees, r.Reason(web.URL), do)
				}
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// Hosts send what was recorded: five requests at most, each with its headers.
func TestRequests(t *testing.T) {
	for i := range hosts.All {
		host := &hosts.All[i]
		t.Run(host.Name, func(t *testing.T) {
			var got []string
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var message struct {
					ID     json.RawMessage `json:"id"`
					Method string          `json:"method"`
				}
				body, _ := io.ReadAll(r.Body)
				_ = json.Unmarshal(body, &message) // a GET has none
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, message.Method, r.Header.Get("Mcp-Protocol-Version"))))
				if r.Header.Get("Accept") == "" || r.Header.Get("Authorization") != "Bearer key" {
					t.Errorf("the headers are %v", r.Header)
				}
				switch {
				case r.Method == http.MethodGet:
					w.WriteHeader(http.StatusMethodNotAllowed)
				case message.ID == nil:
					w.WriteHeader(http.StatusAccepted)
				default:
					w.Header().Set("Mcp-Session-Id", "s")
					answers(200, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"`+host.Revision+`","supportedVersions":["2026-07-28"],"tools":[]}}`)(w, r)
				}
			}))
			defer web.Close()
			visit := hosts.Visit{URL: web.URL, Key: "key", HTTP: http.DefaultClient, Patience: 20 * time.Second}
			if r := visit.Play(t.Context(), host); r.Trouble != hosts.None {
				t.Fatalf("%+v", r)
			}
			if want := recorded[host.Name]; !slices.Equal(got, want) {
				t.Errorf("requests %q, want %q", got, want)
			}
		})
	}
}

// recorded are the requests that the hosts made when they were run, and those that their source
// makes, without those beyond the fifth and those that look for an OAuth login.
var recorded = map[string][]string{
	"claude-code":      {"POST server/discover 2026-07-28", "POST subscriptions/listen 2026-07-28", "POST tools/list 2026-07-28"},
	"copilot-cli":      {"POST server/discover 2026-07-28", "POST subscriptions/listen 2026-07-28", "POST tools/list 2026-07-28"},
	"go-sdk":           {"POST server/discover 2026-07-28", "POST subscriptions/listen 2026-07-28", "POST tools/list 2026-07-28"},
	"typescript-sdk-2": {"POST server/discover 2026-07-28", "POST tools/list 2026-07-28"},
	"cursor":           {"POST initialize", "POST notifications/initialized 2025-11-25", "GET  2025-11-25", "POST tools/list 2025-11-25", "DELETE  2025-11-25"},
	"vscode":           {"POST initialize", "GET", "POST notifications/initialized", "POST tools/list", "DELETE"},
	"codex":            {"POST initialize", "POST notifications/initialized 2025-06-18", "GET  2025-06-18", "POST tools/list 2025-06-18", "DELETE  2025-06-18"},
	"gemini-cli":       {"POST initialize", "POST notifications/initialized", "GET", "POST ping", "POST tools/list", "DELETE"},
	"claude-desktop":   {"GET", "POST initialize", "POST notifications/initialized 2025-11-25", "GET  2025-11-25", "POST tools/list 2025-11-25", "DELETE  2025-11-25"},
	"opencode":         {"POST initialize", "POST notifications/initialized 2025-11-25", "GET  2025-11-25", "POST tools/list 2025-11-25", "DELETE  2025-11-25"},
	"inspector":        {"POST initialize", "POST notifications/initialized 2025-11-25", "GET  2025-11-25", "POST logging/setLevel 2025-11-25", "POST tools/list 2025-11-25", "DELETE  2025-11-25"},
	"typescript-sdk-1": {"POST initialize", "POST notifications/initialized 2025-11-25", "POST tools/list 2025-11-25", "GET  2025-11-25", "DELETE  2025-11-25"},
}
