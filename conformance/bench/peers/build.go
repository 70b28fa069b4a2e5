package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/transport/https"
)

// build builds ours and the peers into bin/peers and makes the data folder.
func (b *bench) build(ctx context.Context) error {
	root, err := filepath.Abs(b.root)
	if err != nil {
		return err
	}
	b.root, b.bin = root, filepath.Join(root, "bin", "peers")
	if err := os.MkdirAll(b.bin, 0o755); err != nil {
		return err
	}
	module := filepath.Join(root, "conformance", "bench")
	for _, step := range []struct{ dir, packages string }{{root, "./cmd/triptych"}, {module, "./load/echo"}, {module, "./peers/..."}} {
		if _, err := run(ctx, step.dir, "go", "build", "-trimpath", "-o", b.bin+"/", step.packages); err != nil {
			return err
		}
	}
	if b.data, err = os.MkdirTemp("", "peers"); err != nil {
		return err
	}
	b.installNode(ctx)
	b.report.Machine = thisMachine(ctx, b)
	return b.furnish(ctx)
}

// furnish makes what a server over HTTPS has: a key whose limits never bite, a
// certificate, a ruleset to get.
func (b *bench) furnish(ctx context.Context) error {
	if _, err := https.SelfSigned(filepath.Join(b.data, "tls"), nil, quiet); err != nil {
		return err
	}
	key, err := run(ctx, b.data, b.program("triptych"), "key", "create", "--data", b.data, "--plan", "enterprise",
		"--month", plenty, "--minute", plenty)
	if err != nil {
		return err
	}
	lines := strings.Fields(key)
	b.bearer = lines[len(lines)-1]
	text := fmt.Sprintf(rulesetFile, 0, strings.Repeat("Some rule that is as long as a line.\n", 50))
	dir := filepath.Join(b.data, "rulesets")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "rule_0.md"), []byte(text), 0o644); err != nil {
		return err
	}
	// A folder is one server's, for it counts requests there.
	b.echoData = filepath.Join(b.data, "echo")
	for _, part := range []string{"tls", "keys"} {
		if err := os.CopyFS(filepath.Join(b.echoData, part), os.DirFS(filepath.Join(b.data, part))); err != nil {
			return err
		}
	}
	return nil
}

// plenty is a quota that is counted and never used up.
const plenty = "1000000000000"

// rulesetFile is the file of a ruleset, by its number and its text.
const rulesetFile = `---
name: rule_%d
description: A rule for benchmarks
tags: [go, style]
created_at: 2025-10-29 10:30:00
last_modified: 2025-10-29 10:30:00
---

%s`

func (b *bench) program(name string) string { return filepath.Join(b.bin, name) }

// run runs a program and returns what it wrote to its standard output.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "LOG_LEVEL=warn")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %.2000s", name, strings.Join(args, " "), err, complaint.String())
	}
	return string(out), nil
}

// installed reports whether a program is there; if not, it prints that the part that
// needs it is left out.
func installed(program string) bool {
	_, err := exec.LookPath(program)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s is not installed: what needs it is left out\n", program)
	}
	return err == nil
}
