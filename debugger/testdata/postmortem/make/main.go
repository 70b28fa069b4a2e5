// Make builds counter.c, lets it crash, and leaves the core file of the kernel
// and a trace of all its instructions:
//
//	go run ./debugger/testdata/postmortem/make debugger/testdata/postmortem
//
// The program is built and run in /tmp/counter, which the core file and the
// trace name as its folder.
package main

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

const folder = "/tmp/counter"

func main() {
	if len(os.Args) > 1 && os.Args[1] == guard.Command {
		os.Exit(guard.Main())
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(to string) error {
	source, err := filepath.Abs(filepath.Join(to, "counter.c"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "counter.c"), text, 0o644); err != nil {
		return err
	}
	steps := []*exec.Cmd{
		exec.Command("gcc", "-g", "-O0", "-nostdlib", "-static", "-fno-stack-protector", "-fno-asynchronous-unwind-tables",
			"-Wl,--build-id", "-fcf-protection=none", "-o", "counter", "counter.c"),
		exec.Command("sh", "-c", "ulimit -c unlimited; ulimit -s 16; rm -f core*; env -i ./counter; mv core* counter.core"),
	}
	for _, step := range steps {
		step.Dir, step.Stderr = folder, os.Stderr
		if err := step.Run(); err != nil {
			return fmt.Errorf("%v: %w", step.Args, err)
		}
	}
	if err := errors.Join(blank(filepath.Join(folder, "counter.core")), trace(filepath.Join(folder, "counter"))); err != nil {
		return err
	}
	for _, name := range []string{"counter", "counter.core", "counter.trace"} {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// blank takes the kernel's own code out of a core file.
func blank(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	headers, err := elf.NewFile(file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	for _, p := range headers.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && p.Vaddr > 1<<46 && p.Vaddr < 1<<47 {
			_, err = file.WriteAt(make([]byte, p.Filesz), int64(p.Off))
		}
	}
	return errors.Join(err, file.Close())
}

// trace records the program up to its signal.
func trace(exe string) error {
	ctx := context.Background()
	process, err := proc.Launch(ctx, proc.Spec{Path: exe, Env: []string{}}, proc.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = process.Kill() }()
	r, err := history.New(history.NewTarget(process), history.Options{})
	if err != nil {
		return err
	}
	result, err := r.Run(ctx, 0, history.Limits{Steps: 1000})
	if err != nil || result.Why != history.GotSignal {
		return errors.Join(err, fmt.Errorf("it stopped at %+v", result))
	}
	file, err := os.Create(exe + ".trace")
	if err != nil {
		return err
	}
	_, err = r.History().Export(ctx, file, history.ExportOptions{Format: history.Binary, Program: exe})
	return errors.Join(err, file.Close())
}
