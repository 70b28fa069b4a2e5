package main

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

// A machine records where, when and with which versions something was measured.
type machine struct {
	Date     string
	CPU      string
	Cores    int
	Memory   string
	Kernel   string
	Go       string
	Commit   string
	Load     string // how many others wanted to run at the beginning, over 1, 5 and 15 minutes
	Quick    bool
	Versions []string // of the peers
}

func thisMachine(ctx context.Context, b *bench) machine {
	m := machine{
		Date: time.Now().UTC().Format(time.DateOnly), Cores: runtime.NumCPU(), Quick: b.quick,
		CPU: figures.CPU(), Memory: memory(),
		Kernel: figures.Kernel(), Go: runtime.Version(),
	}
	if out, err := run(ctx, b.root, "git", "describe", "--always", "--abbrev=10"); err == nil { // a copy without its history has none
		m.Commit = strings.TrimSpace(out)
	}
	if load := strings.Fields(contents("/proc/loadavg")); len(load) > 2 {
		m.Load = strings.Join(load[:3], ", ")
	}
	m.Versions = versions(ctx, b)
	return m
}

// versions holds the versions of the peers, as this module pins them.
func versions(ctx context.Context, b *bench) []string {
	var list []string
	for _, dep := range []struct{ name, path string }{
		{gosdk, "github.com/modelcontextprotocol/go-sdk"},
		{mcpgo, "github.com/mark3labs/mcp-go"},
		{"go-redis", "github.com/redis/go-redis/v9"},
	} {
		out, err := run(ctx, b.root+"/conformance/bench/peers", "go", "list", "-m", "-f", "{{.Version}}", dep.path)
		if err == nil {
			list = append(list, dep.name+" "+strings.TrimSpace(out))
		}
	}
	if b.typescript != "" {
		out, err := run(ctx, b.bin, "node", "--version")
		if err == nil {
			list = append(list, node+" "+typescriptVersion(b), "Node "+strings.TrimSpace(out))
		}
	}
	if out, err := run(ctx, b.root, "redis-server", "--version"); err == nil {
		if _, version, ok := strings.Cut(out, "v="); ok {
			list = append(list, "Redis "+strings.Fields(version)[0])
		}
	}
	return list
}

// memory is that of the machine.
func memory() string {
	kib, _ := strconv.ParseFloat(strings.TrimSuffix(figures.Fact("/proc/meminfo", "MemTotal"), " kB"), 64) // 0 is nothing known
	return figures.Bytes(kib * 1024)
}

func contents(path string) string {
	text, _ := os.ReadFile(path) // best effort
	return string(text)
}
