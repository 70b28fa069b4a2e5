package main

import (
	"context"
	"runtime"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

// A machine records where, when and with which versions something was measured.
type machine struct {
	Date, CPU, Kernel, Commit string
	Cores                     int
	Versions                  string
}

func (b *bench) thisMachine(ctx context.Context) machine {
	m := machine{
		Date: time.Now().UTC().Format("2006-01-02 15:04 UTC"), Cores: runtime.NumCPU(), CPU: figures.CPU(),
		Kernel: figures.Kernel(),
	}
	m.Commit = b.said(ctx, "git", "describe", "--always", "--abbrev=10")
	versions := []string{runtime.Version()}
	for _, program := range []string{"gdb", "gcc"} {
		line, _, _ := strings.Cut(b.said(ctx, program, "--version"), "\n")
		versions = append(versions, line)
	}
	if b.delve != "" {
		versions = append(versions, "Delve "+delveVersion)
	}
	m.Versions = strings.Join(versions, ", ")
	return m
}

// said returns the output of a program, or "" if it cannot be run: what is missing is not
// told.
func (b *bench) said(ctx context.Context, argv ...string) string {
	out, err := run(ctx, b.root, nil, argv...)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}
