package ptrace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

func start(t *testing.T) *ptrace.Tracer {
	t.Helper()
	tracer, err := ptrace.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tracer.Close)
	return tracer
}

// do runs f on the tracer's thread and fails the test with its error.
func do(t *testing.T, tracer *ptrace.Tracer, f func() error) {
	t.Helper()
	if err := tracer.Do(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// Every call runs on one thread, calls inside calls too.
func TestDoIsOneThread(t *testing.T) {
	tracer := start(t)
	var mu sync.Mutex
	seen := map[int]bool{}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_ = tracer.Do(t.Context(), func() error {
				return tracer.Do(t.Context(), func() error {
					mu.Lock()
					defer mu.Unlock()
					seen[unix.Gettid()] = true
					return nil
				})
			})
		})
	}
	all.Wait()
	if len(seen) != 1 {
		t.Errorf("calls ran on %d threads, want 1", len(seen))
	}
}

func TestDoErrors(t *testing.T) {
	tracer := start(t)
	broken := errors.New("broken")
	if err := tracer.Do(t.Context(), func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("Do = %v, want the function's error", err)
	}
	release, began := make(chan struct{}), make(chan struct{})
	go func() {
		_ = tracer.Do(context.Background(), func() error { close(began); <-release; return nil })
	}()
	<-began
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tracer.Do(ctx, func() error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Do with a context that ended = %v, want context.Canceled", err)
	}
	close(release)
	tracer.Close()
	tracer.Close()
	if err := tracer.Do(t.Context(), func() error { return nil }); !errors.Is(err, ptrace.ErrClosed) {
		t.Errorf("Do after Close = %v, want ErrClosed", err)
	}
}

// stopOne seizes the only thread of a process and stops it.
func stopOne(t *testing.T, tracer *ptrace.Tracer, pid int) {
	t.Helper()
	do(t, tracer, func() error {
		if err := tracer.Seize(pid, ptrace.Options); err != nil {
			return err
		}
		return errors.Join(tracer.Interrupt(pid), expectStop(t, tracer, pid))
	})
}

// expectStop passes signals on until the thread is in an event stop.
func expectStop(t *testing.T, tracer *ptrace.Tracer, pid int) error {
	for {
		e, err := tracer.Next(t.Context(), nil)
		if err != nil || e.Kind == ptrace.EventStop && e.Thread == pid {
			return err
		}
		if err := tracer.Cont(pid, e.Signal); err != nil {
			return err
		}
	}
}

// Registers can be read and replaced only from the tracer's thread.
func TestRegs(t *testing.T) {
	tracer := start(t)
	p := debuggertest.Start(t, "forker.c")
	p.AwaitSleep()
	stopOne(t, tracer, p.PID)
	var r ptrace.Regs
	if err := tracer.Regs(p.PID, &r); !errors.Is(err, ptrace.ErrGone) {
		t.Errorf("Regs from another thread: %v, want ErrGone", err)
	}
	do(t, tracer, func() error { return tracer.Regs(p.PID, &r) })
	if !r.InSyscall() || r.OrigRAX != unix.SYS_READ {
		t.Errorf("OrigRAX = %d, want that of the read which the program waits in", r.OrigRAX)
	}
	changed := r
	changed.R12 = 0x1234_5678_9abc
	do(t, tracer, func() error { return tracer.SetRegs(p.PID, &changed) })
	var got ptrace.Regs
	do(t, tracer, func() error { return tracer.Regs(p.PID, &got) })
	if got != changed {
		t.Errorf("registers after SetRegs: %+v, want %+v", got, changed)
	}
	do(t, tracer, func() error { return errors.Join(tracer.SetRegs(p.PID, &r), tracer.Detach(p.PID, 0)) })
	if got := p.Ask("fork"); got != "0 42 1" {
		t.Errorf("after detaching the program says %q", got)
	}
}

// The vector state comes whole and goes back as it came.
func TestXState(t *testing.T) {
	tracer := start(t)
	p := debuggertest.Start(t, "forker.c")
	stopOne(t, tracer, p.PID)
	buf := make([]byte, 16384)
	do(t, tracer, func() error {
		n, err := tracer.XState(p.PID, buf)
		if n < 576 { // legacy area and header: Intel SDM volume 1, 13.4
			t.Errorf("the state has %d bytes", n)
		}
		if err == nil {
			err = tracer.SetXState(p.PID, buf[:n])
		}
		return err
	})
	do(t, tracer, func() error { return tracer.Detach(p.PID, 0) })
}

// A processor without XSAVE has the registers of the x87 and SSE units, as on any processor
// the beginning of the state shows them.
func TestLegacyState(t *testing.T) {
	tracer := start(t)
	p := debuggertest.Start(t, "forker.c")
	stopOne(t, tracer, p.PID)
	do(t, tracer, func() error {
		whole, legacy, again := make([]byte, 16384), make([]byte, 1000), make([]byte, 1000)
		_, err := tracer.XState(p.PID, whole)
		n, err2 := ptrace.LegacyState(p.PID, legacy)
		if err := errors.Join(err, err2); err != nil || n != 576 || legacy[512] != 3 {
			return fmt.Errorf("%d bytes, %w", n, err)
		}
		const registers = 160 + 16*16 // what follows is for software
		if !bytes.Equal(legacy[32:registers], whole[32:registers]) {
			t.Errorf("registers % x, want % x", legacy[32:registers], whole[32:registers])
		}
		legacy[160] ^= 1
		err = ptrace.SetLegacyState(p.PID, legacy[:n])
		_, err2 = ptrace.LegacyState(p.PID, again)
		if again[160] != legacy[160] {
			t.Error("xmm0 was not set")
		}
		legacy[160] ^= 1
		err = errors.Join(err, err2, ptrace.SetLegacyState(p.PID, legacy[:n]))
		if ptrace.SetLegacyState(p.PID, legacy) == nil {
			t.Error("a state of another size is accepted")
		}
		if _, short := ptrace.LegacyState(p.PID, legacy[:575]); short == nil {
			t.Error("575 bytes are enough")
		}
		return err
	})
	do(t, tracer, func() error { return tracer.Detach(p.PID, 0) })
}

// A system call that another process is made to do answers what that process
// would get, and leaves no trace in it: the read that it waits in goes on.
func TestInject(t *testing.T) {
	tracer := start(t)
	p := debuggertest.Start(t, "forker.c")
	stopOne(t, tracer, p.PID)
	site := vdsoSyscall(t, p.PID)
	var before, after ptrace.Regs
	do(t, tracer, func() error { return tracer.Regs(p.PID, &before) })
	do(t, tracer, func() error {
		got, err := tracer.Inject(p.PID, site, unix.SYS_GETPID, [6]uint64{}, func(ptrace.Event) {})
		if int(got) != p.PID {
			t.Errorf("getpid in process %d answered %d", p.PID, got)
		}
		return err
	})
	do(t, tracer, func() error {
		_, err := tracer.Inject(p.PID, site, unix.SYS_CLOSE, [6]uint64{9999}, func(ptrace.Event) {})
		if !errors.Is(err, unix.EBADF) {
			t.Errorf("close(9999) answered %v, want EBADF", err)
		}
		return nil
	})
	do(t, tracer, func() error { return tracer.Regs(p.PID, &after) })
	if before != after {
		t.Errorf("registers after two calls: %+v, want %+v", after, before)
	}
	do(t, tracer, func() error { return tracer.Detach(p.PID, 0) })
	if got := p.Ask("fork"); got != "0 42 1" {
		t.Errorf("after the calls the program says %q", got)
	}
}

// vdsoSyscall finds a place for Inject.
func vdsoSyscall(t *testing.T, pid int) uint64 {
	t.Helper()
	m, err := ptrace.OpenMemory(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	auxv, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/auxv")
	if err != nil {
		t.Fatal(err)
	}
	address, _ := ptrace.Auxiliary(auxv, ptrace.AuxVDSO)
	at, ok := m.FindSyscall(address, address+4096)
	if !ok {
		t.Fatal("no system call in the vdso")
	}
	return at
}

// Memory is read and written, in pages that the process cannot write too, and
// an error says where reading ended.
func TestMemory(t *testing.T) {
	tracer := start(t)
	p := debuggertest.Start(t, "forker.c")
	stopOne(t, tracer, p.PID)
	m, err := ptrace.OpenMemory(p.PID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	address, code := p.Text()
	got := make([]byte, len(code))
	if _, err := m.Read(address, got); err != nil || string(got) != string(code) {
		t.Errorf("the code differs from the file's (%v)", err)
	}
	for _, at := range []uint64{address, p.Symbol("visits")} {
		if _, err := m.Write(at, []byte{1, 2, 3, 4}); err != nil {
			t.Error(err)
		}
		back := make([]byte, 4)
		if _, err := m.Read(at, back); err != nil || string(back) != "\x01\x02\x03\x04" {
			t.Errorf("read % x (%v) after writing 01 02 03 04", back, err)
		}
	}
	var access *ptrace.AccessError
	if n, err := m.Read(16, got[:4]); n != 0 || !errors.As(err, &access) || access.Address != 16 {
		t.Errorf("reading at 16: %d, %v; want an AccessError", n, err)
	}
	if _, err := m.Read(1<<63, got[:4]); !errors.As(err, &access) {
		t.Errorf("reading kernel memory: %v, want an AccessError", err)
	}
}

// A launched program is stopped before its first instruction and dies with its
// tracer if that was asked for.
func TestLaunch(t *testing.T) {
	path := debuggertest.Build(t, "forker.c")
	tracer := start(t)
	var pid int
	do(t, tracer, func() (err error) {
		attr := &syscall.ProcAttr{Files: []uintptr{0, 1, 2}, Env: os.Environ()}
		pid, err = tracer.Launch(path, []string{path, "child"}, attr, ptrace.Options)
		return err
	})
	var r ptrace.Regs
	do(t, tracer, func() error { return tracer.Regs(pid, &r) })
	auxv, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/auxv")
	if err != nil {
		t.Fatal(err)
	}
	if base, _ := ptrace.Auxiliary(auxv, ptrace.AuxBase); r.RIP < base || r.RIP > base+1<<20 {
		t.Errorf("it is stopped at %#x, not in the loader at %#x", r.RIP, base)
	}
	do(t, tracer, func() error { return tracer.Cont(pid, 0) })
	do(t, tracer, func() error {
		e, err := tracer.Next(t.Context(), nil)
		if e.Kind != ptrace.Exited || e.Status != 61 || e.Thread != pid {
			t.Errorf("it ended with %+v, want status 61", e)
		}
		return err
	})
	do(t, tracer, func() error {
		if _, _, err := tracer.Poll(); !errors.Is(err, ptrace.ErrNoThreads) {
			t.Errorf("waiting for nothing: %v, want ErrNoThreads", err)
		}
		return nil
	})
}

func TestLaunchFails(t *testing.T) {
	tracer := start(t)
	err := tracer.Do(t.Context(), func() error {
		_, err := tracer.Launch("/nonexistent", []string{"x"}, &syscall.ProcAttr{}, ptrace.Options)
		return err
	})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Launch of a file that is not there: %v", err)
	}
}

// No tracer runs on the first thread of the program, which would not end with it.
func TestTracerIsNotTheFirstThread(t *testing.T) {
	for range 2000 {
		tracer, err := ptrace.Start()
		if err != nil {
			t.Fatal(err)
		}
		tid := 0
		err = tracer.Do(t.Context(), func() error { tid = unix.Gettid(); return nil })
		if tracer.Close(); err != nil || tid == os.Getpid() {
			t.Fatalf("a tracer runs on thread %d of process %d (%v)", tid, os.Getpid(), err)
		}
	}
}

// A thread in the stop of a signal gets that signal when its tracer dies, although the
// tracer has read the stop.
func TestSignalOutlivesTracer(t *testing.T) {
	program := debuggertest.Start(t, "ticker.c")
	tracer := start(t)
	read := make(chan error, 1)
	go func() { // Do does not return: the tracer's thread ends
		_ = tracer.Do(context.Background(), func() error {
			read <- untilSignal(tracer, program.PID, unix.SIGUSR1)
			runtime.Goexit()
			return nil
		})
	}()
	if err := <-read; errors.Is(err, unix.EPERM) {
		t.Skip("tracing is not permitted here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	got := program.Ask("signals")
	for end := time.Now().Add(20 * time.Second); got != "1 0" && time.Now().Before(end); time.Sleep(time.Millisecond) {
		got = program.Ask("signals")
	}
	if got != "1 0" {
		t.Errorf("the program counted %q, want one signal", got)
	}
}

// untilSignal traces a thread, sends it a signal, and waits for the stop of that.
func untilSignal(tracer *ptrace.Tracer, tid int, sig syscall.Signal) error {
	err := errors.Join(tracer.Seize(tid, 0), unix.Kill(tid, sig))
	for err == nil {
		var e ptrace.Event
		if e, err = tracer.Wait(); err != nil || e.Kind == ptrace.SignalStop && e.Signal == sig {
			break
		}
		err = tracer.Cont(tid, e.Signal)
	}
	return err
}
