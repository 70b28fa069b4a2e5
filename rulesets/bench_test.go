package rulesets_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// many is the number of rulesets in the benchmarks.
const many = 10_000

// shelves are places with many rulesets, as another program would write them.
var shelves = []struct {
	name string
	fill func(b *testing.B) (url string)
}{
	{"files", fillFiles},
	{"redis", fillRedis},
}

// BenchmarkTools measures calls as the server answers them, without the road.
func BenchmarkTools(b *testing.B) {
	for _, shelf := range shelves {
		b.Run(shelf.name, func(b *testing.B) {
			handler := serving(b, shelf.fill(b))
			for _, call := range []struct{ name, params string }{
				{"get", `{"name":"get_ruleset","arguments":{"name":"rule_7777"}}`},
				{"search", `{"name":"search_rulesets","arguments":{"pattern":"*_77?"}}`},
				{"search_nothing", `{"name":"search_rulesets","arguments":{"pattern":"none*"}}`},
				{"list", `{"name":"list_rulesets","arguments":{}}`},
			} {
				req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: "tools/call", Params: []byte(call.params)}
				b.Run(call.name, func(b *testing.B) { benchmark(b, handler, &req) })
			}
		})
	}
}

func benchmark(b *testing.B, handler jsonrpc.Handler, req *jsonrpc.Request) {
	b.ReportAllocs()
	var answer []byte
	for b.Loop() {
		answer = jsonrpc.Answer(b.Context(), handler, req, answer[:0])
	}
	if !strings.Contains(string(answer), `"result"`) || strings.Contains(string(answer), `"isError":true`) {
		b.Errorf("got %.200s", answer)
	}
	b.ReportMetric(float64(len(answer)), "answer-B")
}

// serving is the family on a store, with the index read already.
func serving(b *testing.B, url string) jsonrpc.Handler {
	b.Helper()
	table, err := new(rulesets.Config).Open(b.Context(), host.Env{
		Store:  url,
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) string { return "" },
	})
	if err != nil {
		b.Fatal(err)
	}
	server, err := mcp.New(mcp.Config{Name: "bench", Version: "1"}, table)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Close() }) // measured
	return server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
}

func fillFiles(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	body := strings.Repeat("Some rule that is as long as a line.\n", 50)
	for i := range many {
		text := fmt.Sprintf("---\nname: rule_%d\ndescription: A rule for benchmarks\ntags: [go, style]\ncreated_at: %s\nlast_modified: %s\n---\n\n%s",
			i, createdAt(i).Format(time.DateTime), createdAt(i).Format(time.DateTime), body)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("rule_%d.md", i)), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func createdAt(i int) time.Time {
	return time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC).Add(time.Duration(i/3) * time.Second)
}

func fillRedis(b *testing.B) string {
	b.Helper()
	addr := valkeytest.Start(b).Addr
	client := redis.NewClient(&redis.Options{Addr: addr})
	defer func() { _ = client.Close() }() // its work is done
	body := strings.Repeat("Some rule that is as long as a line.\n", 50)
	_, err := client.Pipelined(b.Context(), func(p redis.Pipeliner) error {
		for i := range many {
			at := createdAt(i).Format(time.RFC3339)
			p.HSet(b.Context(), fmt.Sprintf("ruleset:rule_%d", i),
				"description", "A rule for benchmarks", "tags", `["go","style"]`, "markdown", body, "created_at", at, "last_modified", at)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return "redis://" + addr
}
