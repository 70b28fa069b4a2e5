package registry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/registry"
)

// server returns a server.json.
func server(name, version string) string {
	return fmt.Sprintf(`{"name":%q,"version":%q,"description":"d","remotes":[{"type":"streamable-http","url":"https://example.com/mcp"}],"kept":[1, 2]}`, name, version)
}

// official returns a server as the API of a registry has it, with members of what the registry says.
func official(name, version, members string) string {
	return fmt.Sprintf(`{"server":%s,"_meta":{"io.modelcontextprotocol.registry/official":{%s}}}`, server(name, version), members)
}

func own(*http.Request) ([]byte, error) { return []byte(server("com.example/own", "7.0.0")), nil }

// open opens a registry of a file with a text, whose last change was at a time.
func open(t *testing.T, text string) (*registry.Registry, string, *bytes.Buffer, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "servers.json")
	write(t, file, text, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	var log bytes.Buffer
	r, err := registry.Open(file, own, slog.New(slog.NewTextHandler(&log, nil)))
	return r, file, &log, err
}

func write(t *testing.T, file, text string, changed time.Time) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, changed, changed); err != nil {
		t.Fatal(err)
	}
}

// An answer has the members of an answer of the API that the tests look at.
type answer struct {
	Servers []struct {
		Server struct{ Name, Version string }
		Meta   map[string]struct {
			Status                 string
			PublishedAt, UpdatedAt time.Time
			IsLatest               bool
		} `json:"_meta"`
	}
	Metadata struct {
		NextCursor string
		Count      int
	}
	Error string
}

// versions returns what an answer lists, the latest ones with a star.
func (a *answer) versions() (all []string) {
	for _, s := range a.Servers {
		text := s.Server.Name + " " + s.Server.Version
		if s.Meta["io.modelcontextprotocol.registry/official"].IsLatest {
			text += "*"
		}
		all = append(all, text)
	}
	return all
}

func ask(t *testing.T, r *registry.Registry, path string) (int, string) {
	t.Helper()
	status, text, err := r.Answer(httptest.NewRequest(http.MethodGet, path, nil))
	if err != nil {
		t.Fatal(err)
	}
	return status, string(text)
}

func list(t *testing.T, r *registry.Registry, path string) (a answer) {
	t.Helper()
	status, text := ask(t, r, path)
	if err := json.Unmarshal([]byte(text), &a); err != nil || status != http.StatusOK || a.Metadata.Count != len(a.Servers) {
		t.Fatalf("%s: %d %v %s", path, status, err, text)
	}
	return a
}

var sample = "[" + strings.Join([]string{
	server("com.example/a", "1.9.0"), server("com.example/a", "1.10.0"), server("com.example/a", "2.0.0-beta.1"),
	official("org.other/B", "1.0.0", `"status":"deprecated","statusMessage":"use com.example/a","publishedAt":"2025-01-01T00:00:00Z","updatedAt":"2026-05-05T00:00:00Z"`),
	official("org.other/B", "1.1.0", `"status":"deleted","publishedAt":"2025-02-01T00:00:00Z"`),
	server("org.other/versions", "2024-05"), server("org.other/versions", "0.0.1"),
}, ",") + "]"

// The latest version is the highest one by semver.org, section 11, whose example is that
// 1.9.0 is before 1.10.0.
func TestList(t *testing.T) {
	r, _, _, err := open(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		"/v0.1/servers": {
			"com.example/a 2.0.0-beta.1*", "com.example/a 1.10.0", "com.example/a 1.9.0", "com.example/own 7.0.0*",
			"org.other/B 1.0.0*", "org.other/versions 0.0.1*", "org.other/versions 2024-05",
		},
		"/v0.1/servers?version=latest":                     {"com.example/a 2.0.0-beta.1*", "com.example/own 7.0.0*", "org.other/B 1.0.0*", "org.other/versions 0.0.1*"},
		"/v0.1/servers?version=1.10.0":                     {"com.example/a 1.10.0"},
		"/v0.1/servers?search=oTHer/b":                     {"org.other/B 1.0.0*"},
		"/v0.1/servers?search=b&include_deleted=true":      {"org.other/B 1.1.0", "org.other/B 1.0.0*"},
		"/v0.1/servers?updated_since=2026-05-05T00:00:00Z": {"org.other/B 1.0.0*"},
		"/v0.1/servers?search=nothing":                     nil,
		"/v0.1/servers/com.example%2Fa/versions":           {"com.example/a 2.0.0-beta.1*", "com.example/a 1.10.0", "com.example/a 1.9.0"},
		"/v0.1/servers/com.example/a/versions":             {"com.example/a 2.0.0-beta.1*", "com.example/a 1.10.0", "com.example/a 1.9.0"},
		"/v0.1/servers/org.other%2Fversions/versions":      {"org.other/versions 0.0.1*", "org.other/versions 2024-05"},
	} {
		a := list(t, r, path)
		if got := a.versions(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	a := list(t, r, "/v0.1/servers?version=1.9.0")
	meta := a.Servers[0].Meta["io.modelcontextprotocol.registry/official"]
	if want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC); meta.Status != "active" || !meta.PublishedAt.Equal(want) || !meta.UpdatedAt.Equal(want) {
		t.Errorf("%+v, want the time of the file", meta)
	}
}

// What a server.json says is passed on as it is, also what this program does not know.
func TestOne(t *testing.T) {
	r, _, _, err := open(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/v0.1/servers/com.example%2Fa/versions/1.9.0":                       `"version":"1.9.0"`,
		"/v0.1/servers/com.example%2Fa/versions/latest":                      `"version":"2.0.0-beta.1"`,
		"/v0.1/servers/com.example/own/versions/latest":                      `"name":"com.example/own"`,
		"/v0.1/servers/org.other%2FB/versions/latest":                        `"statusMessage":"use com.example/a"`,
		"/v0.1/servers/org.other%2FB/versions/1.1.0?include_deleted=true":    `"status":"deleted"`,
		"/v0.1/servers/org.other%2Fversions/versions/2024-05":                `"version":"2024-05"`,
		"/v0.1/servers/com.example%2Fa/versions/1.10.0?include_deleted=true": `"kept":[1,2]`,
	} {
		if status, text := ask(t, r, path); status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s, want %s", path, status, text, want)
		}
	}
	for path, want := range map[string]int{
		"/v0.1/servers/com.example%2Fa/versions/3.0.0":   http.StatusNotFound,
		"/v0.1/servers/com.example%2Fzzz/versions":       http.StatusNotFound,
		"/v0.1/servers/org.other%2FB/versions/1.1.0":     http.StatusNotFound, // it is deleted
		"/v0.1/servers/com.example%2Fa":                  http.StatusNotFound,
		"/v0.1/servers/%2e%2e/%2e%2e/versions/x":         http.StatusNotFound,
		"/v0.1/servers?limit=0":                          http.StatusBadRequest,
		"/v0.1/servers?limit=101":                        http.StatusBadRequest,
		"/v0.1/servers?updated_since=yesterday":          http.StatusBadRequest,
		"/v0.1/servers?cursor=com.example%2Fa%3A9.9.9":   http.StatusBadRequest,
		"/v0.1/servers/com.example%2Fa/versions/%2flast": http.StatusNotFound,
	} {
		if status, text := ask(t, r, path); status != want || !strings.HasPrefix(text, `{"error":"`) {
			t.Errorf("%s: %d %s, want %d with an error", path, status, text, want)
		}
	}
}

// Pages have everything once, whatever their size is.
func TestPages(t *testing.T) {
	var servers []string
	for i := range 75 {
		servers = append(servers, server(fmt.Sprintf("com.example/s%02d", i), "1.0.0"))
	}
	r, _, _, err := open(t, `{"servers":[`+strings.Join(servers, ",")+`],"metadata":{"count":75}}`)
	if err != nil {
		t.Fatal(err)
	}
	for limit, pages := range map[string]int{"": 3, "limit=1": 76, "limit=38": 2, "limit=76": 1, "limit=100": 1} {
		seen, cursor, count := map[string]bool{}, "", 0
		for count < 100 {
			a := list(t, r, "/v0.1/servers?"+limit+"&cursor="+cursor)
			for _, v := range a.versions() {
				seen[v] = true
			}
			count++
			if cursor = a.Metadata.NextCursor; cursor == "" {
				break
			}
		}
		if len(seen) != 76 || count != pages {
			t.Errorf("%q: %d servers on %d pages, want 76 on %d", limit, len(seen), count, pages)
		}
	}
}

// A file that cannot be understood is refused with the server and the reason.
func TestRefusedFiles(t *testing.T) {
	for text, want := range map[string]string{
		`nonsense`:         "invalid character",
		`{"server":[]}`:    "neither an array of servers",
		`{"servers":null}`: "neither an array of servers",
		`[` + server("com.example/a", "1.0.0") + `,` + server("a", "1.0.0") + `]`:             `server 2: its name is "a"`,
		`[` + server("com.example/a", "latest") + `]`:                                         `the version "latest"`,
		`[` + server("com.example/a", "^1.2.3") + `]`:                                         `not a range`,
		`[` + server("com.example/a", "1.x") + `]`:                                            `not a range`,
		`[` + server("com.example/a", "") + `]`:                                               `the version ""`,
		`[` + server("com.example/a", "1.0.0") + `,` + server("com.example/a", "1.0.0") + `]`: "com.example/a 1.0.0 is there twice",
		`[{"name":"com.example/a","version":"1.0.0","remotes":[{}]}]`:                         "has no description",
		`[{"name":"com.example/a","version":"1.0.0","description":"d"}]`:                      "neither packages nor remotes",
		`[` + official("com.example/a", "1.0.0", `"status":"gone"`) + `]`:                     `the status "gone"`,
		`[null]`:                          "its name is",
		strings.Repeat(" ", 8<<20) + `[]`: "more than 8 MiB",
	} {
		_, file, _, err := open(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
	if _, err := registry.Open(filepath.Join(t.TempDir(), "missing"), own, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a file that is missing is read")
	}
}

// A file that changes is read again; one that is broken or gone changes nothing and is logged once.
func TestFileChanges(t *testing.T) {
	r, file, log, err := open(t, "["+server("com.example/a", "1.0.0")+"]")
	if err != nil {
		t.Fatal(err)
	}
	later := time.Date(2026, 2, 2, 3, 4, 5, 0, time.UTC)
	check := func(what string, logged int, want ...string) {
		t.Helper()
		for range 3 {
			a := list(t, r, "/v0.1/servers")
			if got := a.versions(); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		if n := strings.Count(log.String(), "level=ERROR"); n != logged {
			t.Errorf("%s: %d errors are logged, want %d: %s", what, n, logged, log)
		}
	}
	check("at first", 0, "com.example/a 1.0.0*", "com.example/own 7.0.0*")
	write(t, file, "["+server("com.example/a", "1.0.1")+","+server("com.example/own", "6.0.0")+"]", later)
	check("changed", 0, "com.example/a 1.0.1*", "com.example/own 6.0.0*") // the file's own entry counts
	write(t, file, "[", later.Add(time.Second))
	check("broken", 1, "com.example/a 1.0.1*", "com.example/own 6.0.0*")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check("gone", 2, "com.example/a 1.0.1*", "com.example/own 6.0.0*")
	write(t, file, "["+server("com.example/c", "1.0.0")+"]", later)
	check("there again", 2, "com.example/c 1.0.0*", "com.example/own 7.0.0*")
}

// What the API answers can be the file of another registry.
func TestAnswerIsAFile(t *testing.T) {
	r, _, _, err := open(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	_, text := ask(t, r, "/v0.1/servers?include_deleted=true")
	again, _, _, err := open(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, got := ask(t, again, "/v0.1/servers?include_deleted=true"); got != text {
		t.Errorf("%s\nwant\n%s", got, text)
	}
}
