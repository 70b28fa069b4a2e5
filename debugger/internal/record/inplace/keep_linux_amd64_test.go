package inplace_test

import (
	"bytes"
	"errors"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// leave moves a program, which has one thread, to its own code, and keeps its translation.
func (g *guest) leave() *inplace.Translation {
	_, waits, err := g.Park()
	must(err)
	if waits {
		panic(failure("a signal waits"))
	}
	must(g.Unmap())
	kept, err := g.Keep()
	must(err)
	return kept
}

// enter continues a program that leave has left.
func (g *guest) enter(kept *inplace.Translation) {
	pid := g.Thread()
	inject := func(tid int, number uint64, args [6]uint64, other func(ptrace.Event)) (uint64, error) {
		site, err := inplace.SyscallSite(tid)
		must(err)
		if other == nil {
			other = func(ptrace.Event) {}
		}
		return g.tracer.Inject(tid, site, number, args, other)
	}
	var err error
	g.Runner, err = inplace.Adopt(g.tracer, pid, []int{pid}, inject, kept)
	must(err)
}

// TestKeep leaves a program and enters it again: it goes on with its translation.
func TestKeep(t *testing.T) {
	want, err := exec.Command("gzip", "-c", "/bin/ls").Output()
	if err != nil {
		t.Skip(err)
	}
	got := launch(t, []string{"gzip", "-c", "/bin/ls"}, func(g *guest) {
		for n := range 20 {
			until := g.Executed() + 50_000
			g.until(t.Context(), func() bool { return g.Executed() > until })
			kept := g.leave()
			if g.enter(kept); !g.Uses(kept) {
				panic(failuref("the translation was not used the time %d", n))
			}
		}
		g.finish(t.Context(), 1<<40)
	})
	if !bytes.Equal(got, want) {
		t.Errorf("the program has written %d bytes, want %d", len(got), len(want))
	}
}

// TestKeepChanged changes a program between two Runners: nothing of what was translated
// before is executed.
func TestKeepChanged(t *testing.T) {
	page := func(pc uint64) uint64 { return pc &^ 0xfff }
	for name, test := range map[string]struct {
		change func(g *guest, kept *inplace.Translation) error
		kind   inplace.Kind
	}{
		"code": {func(g *guest, _ *inplace.Translation) error {
			memory, err := ptrace.OpenMemory(g.Thread())
			must(err)
			_, err = memory.Write(g.Regs.RIP, []byte{0x0f, 0x0b}) // ud2
			return errors.Join(err, memory.Close())
		}, inplace.Native},
		"protection": {func(g *guest, _ *inplace.Translation) error {
			return g.system(unix.SYS_MPROTECT, page(g.Regs.RIP), 0x1000, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC)
		}, inplace.Done},
		"place": {func(g *guest, kept *inplace.Translation) error {
			return g.system(unix.SYS_MMAP, kept.Place(), 0x1000, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE, ^uint64(0), 0)
		}, inplace.Done},
	} {
		t.Run(name, func(t *testing.T) {
			launch(t, []string{debuggertest.Build(t, "busy-loop.c")}, func(g *guest) {
				g.until(t.Context(), func() bool { return g.Executed() > 1_000_000 })
				kept := g.leave()
				must(test.change(g, kept))
				if g.enter(kept); g.Uses(kept) {
					panic(failure("the translation was used"))
				}
				stop, err := g.Run(t.Context(), 1_000_000)
				must(err)
				if stop.Kind != test.kind {
					panic(failuref("a stop of kind %d, want %d", stop.Kind, test.kind))
				}
			})
		})
	}
}

// system makes a program that leave has left make a system call.
func (g *guest) system(number uint64, args ...uint64) error {
	site, err := inplace.SyscallSite(g.Thread())
	must(err)
	var all [6]uint64
	copy(all[:], args)
	_, err = g.tracer.Inject(g.Thread(), site, number, all, func(ptrace.Event) {})
	return err
}
