package conformance

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// startRulesets is the number of rulesets in the store at start-up.
const startRulesets = 10_000

// BenchmarkStart measures from the start of the program to its first answer,
// and to its end.
func BenchmarkStart(b *testing.B) {
	argv, err := program()
	if err != nil {
		b.Fatal(err)
	}
	for _, shelf := range []struct {
		name string
		fill func(b *testing.B, data string) (words []string)
	}{
		{"files", fillFolder},
		{"redis", fillServer},
	} {
		b.Run(shelf.name, func(b *testing.B) {
			data := b.TempDir()
			words := append(shelf.fill(b, data), "--families=rulesets")
			for _, first := range []struct{ name, line string }{
				{"get", callLine(1, "get_ruleset", `{"name":"rule_7777"}`)},
				{"list", callLine(1, "list_rulesets", `{}`)},
			} {
				b.Run(first.name, func(b *testing.B) {
					for b.Loop() {
						firstAnswer(b, argv, data, words, first.line)
					}
				})
			}
		})
	}
}

// firstAnswer starts the program, asks once and ends it.
func firstAnswer(b *testing.B, argv []string, data string, words []string, line string) {
	b.Helper()
	args, env := environment(data, words)
	p, err := openPipe(b.Context(), append(append([]string(nil), argv...), args...), env, patience)
	if err != nil {
		b.Fatal(err)
	}
	got, err := exchange(p, line)
	if err != nil || !strings.Contains(got, "rule_7777") {
		b.Errorf("got %.200s, %v", got, err)
	}
	if err := p.Close(); err != nil {
		b.Error(err)
	}
}

func fillFolder(b *testing.B, data string) []string {
	b.Helper()
	dir := filepath.Join(data, "rulesets")
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range startRulesets {
		text := fmt.Sprintf("---\nname: rule_%d\ndescription: A rule\ntags: [go, style]\n---\n\n# Rule\n", i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("rule_%d.md", i)), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return nil
}

func fillServer(b *testing.B, _ string) []string {
	b.Helper()
	addr := valkeytest.Start(b).Addr
	client := redis.NewClient(&redis.Options{Addr: addr})
	defer func() { _ = client.Close() }() // its work is done
	_, err := client.Pipelined(b.Context(), func(p redis.Pipeliner) error {
		for i := range startRulesets {
			p.HSet(b.Context(), fmt.Sprintf("ruleset:rule_%d", i), "description", "A rule", "tags", `["go","style"]`,
				"markdown", "# Rule\n", "created_at", "2025-10-29T10:30:00Z", "last_modified", "2025-10-29T10:30:00Z")
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(addr)
	return []string{"VALKEY_HOST=" + host, "VALKEY_PORT=" + port}
}
