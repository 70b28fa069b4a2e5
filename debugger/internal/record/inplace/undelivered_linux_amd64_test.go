package inplace_test

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// TestSignalInfoStays lets a program continue, or parks it, when it is about to get a signal,
// from kill(2) or with a value. The signal comes again with the same siginfo_t.
func TestSignalInfoStays(t *testing.T) {
	loop := debuggertest.Build(t, "busy-loop.c")
	for name, leave := range map[string]func(g *guest) error{
		"release": (*guest).Release,
		"park": func(g *guest) error {
			info, waits, err := g.Park()
			if !waits {
				return errors.New("no signal waits")
			}
			return errors.Join(err, g.Requeue(info))
		},
	} {
		for _, send := range []func(pid int) error{
			func(pid int) error { return unix.Kill(pid, unix.SIGUSR1) },
			queueValue,
		} {
			t.Run(name, func(t *testing.T) {
				launch(t, []string{loop}, func(g *guest) {
					g.until(t.Context(), func() bool { return g.Executed() > 1_000_000 })
					must(send(g.Thread()))
					stop, err := g.Run(t.Context(), 1<<40)
					must(err)
					if stop.Kind != inplace.Signal {
						panic(failuref("a stop of kind %d", stop.Kind))
					}
					want := g.SigInfo()
					must(leave(g))
					must(g.tracer.Cont(g.Thread(), 0))
					e, err := g.tracer.Wait()
					must(err)
					if e.Kind != ptrace.SignalStop {
						panic(failuref("%v", e.Kind))
					}
					got, err := g.tracer.SigInfo(g.Thread())
					must(err)
					if got != want {
						t.Errorf("the signal has come again with % x, want % x", got[:32], want[:32])
					}
				})
			})
		}
	}
}

// TestSignalAtAJump sends a signal to a program that continues with a jump, of which the
// translation has no code. The registers and the number of instructions belong to the place
// before it or to that behind it.
func TestSignalAtAJump(t *testing.T) {
	loop := debuggertest.Compile(t, filepath.Join("testdata", "counters.c"), nil, "gcc", "-O1")
	launch(t, []string{loop}, func(g *guest) {
		g.until(t.Context(), func() bool { return g.Executed() > 1_000_000 })
		const length, distance = 2, 3
		from := g.Regs.RIP
		_, err := g.Memory().Write(from, []byte{
			0xeb, distance, // jmp
			0xcc, 0xcc, 0xcc,
			0x31, 0xc0, 0xeb, 0xfc, // 1: xor eax, eax; jmp 1b
		})
		must(err)
		g.Forget()
		before := g.Executed()
		must(unix.Kill(g.Thread(), unix.SIGUSR1))
		stop, err := g.Run(t.Context(), 1<<40)
		must(err)
		if stop.Kind != inplace.Signal {
			panic(failuref("a stop of kind %d", stop.Kind))
		}
		want := map[int64]uint64{0: from, 1: from + length + distance}
		if executed := g.Executed() - before; g.Regs.RIP != want[executed] {
			t.Errorf("the signal has come at %+d after %d instructions", g.Regs.RIP-from, executed)
		}
	})
}

// queueValue sends SIGUSR1 with a value.
func queueValue(pid int) error {
	var info ptrace.SigInfo
	queued := int32(-1) // SI_QUEUE
	binary.LittleEndian.PutUint32(info[:], uint32(unix.SIGUSR1))
	binary.LittleEndian.PutUint32(info[8:], uint32(queued))
	binary.LittleEndian.PutUint64(info[24:], 0x1234_5678_9abc)
	_, _, errno := unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), uintptr(unix.SIGUSR1), uintptr(unsafe.Pointer(&info[0])))
	if errno != 0 {
		return errno
	}
	return nil
}
