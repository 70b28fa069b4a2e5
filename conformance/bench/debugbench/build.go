package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// delveVersion is the one that is built.
const delveVersion = "v1.27.2"

// errNoTools says what is missing to measure anything.
var errNoTools = errors.New("gdb, gcc and g++ are needed")

// installed reports whether the programs are there without which nothing can be
// measured.
func installed() error {
	for _, program := range []string{"gdb", "gcc", "g++"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%w: %w", errNoTools, err)
		}
	}
	return nil
}

// build builds our server and the programs that are debugged.
func (b *bench) build(ctx context.Context) error {
	if err := os.MkdirAll(b.bin, 0o755); err != nil {
		return err
	}
	sources := filepath.Join(b.root, "conformance", "bench", "debugbench", "testdata")
	for _, command := range []struct {
		dir  string
		argv []string
	}{
		{b.root, []string{"go", "build", "-o", b.program("triptych"), "./cmd/triptych"}},
		{sources, []string{"gcc", "-g", "-O0", "-o", b.program("loop"), "loop.c"}},
		{sources, []string{"gcc", "-g", "-O0", "-o", b.program("called"), "called.c"}},
		{sources, []string{"gcc", "-g", "-O0", "-o", b.program("ordinary"), "ordinary.c", "-lm"}},
		{sources, []string{"gcc", "-g", "-O1", "-o", b.program("heap"), "heap.c"}},
		{sources, []string{"gcc", "-O2", "-o", b.program("floor"), "floor.c"}},
		{sources, []string{"g++", "-std=c++17", "-g", "-O0", "-o", b.program("shapes"), "shapes.cc"}},
		{sources, []string{"go", "build", "-gcflags=-N -l", "-o", b.program("workers"), "workers.go"}},
		{sources, []string{"gcc", "-g", "-O1", "-o", b.program("integers"), "integers.c"}},
		{sources, []string{"gcc", "-O2", "-pthread", "-o", b.program("handover"), "handover.c"}},
		{sources, []string{"go", "build", "-o", b.program("goroutines"), "goroutines.go"}},
	} {
		if _, err := run(ctx, command.dir, nil, command.argv...); err != nil {
			return err
		}
	}
	return nil
}

// buildDelve builds Delve, unless it was built before. Without it, it is left
// out, and the page says why.
func (b *bench) buildDelve(ctx context.Context) {
	path := b.program("dlv-" + delveVersion)
	if _, err := os.Stat(path); err != nil {
		_, err := run(ctx, b.bin, []string{"GOBIN=" + b.bin}, "go", "install", "github.com/go-delve/delve/cmd/dlv@"+delveVersion)
		if err == nil {
			err = os.Rename(b.program("dlv"), path)
		}
		if err != nil {
			b.note(fmt.Sprintf("Delve could not be built: %.200v", err))
			return
		}
	}
	b.delve = path
}

// program is the path of a program that was built.
func (b *bench) program(name string) string { return filepath.Join(b.bin, name) }

// tracing reports whether processes can be debugged here.
func (b *bench) tracing(ctx context.Context) error {
	return b.stepBare(ctx, []string{b.program("loop")})
}
