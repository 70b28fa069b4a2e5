package proc_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// written asks what was written, and skips the test where that is unknown.
func written(t testing.TB, p *proc.Process) proc.Written {
	t.Helper()
	w, err := p.Written()
	if errors.Is(err, proc.ErrUnwatched) {
		t.Skip("this needs Linux 6.7: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// has reports whether ranges have an address.
func has(ranges []ptrace.Range, address uint64) bool {
	return slices.ContainsFunc(ranges, func(r ptrace.Range) bool { return r.Start <= address && address < r.End })
}

// pageBytes is the memory of a process, page by page.
func pageBytes(t testing.TB, p *proc.Process, ranges []ptrace.Range) map[uint64][]byte {
	t.Helper()
	all := map[uint64][]byte{}
	for _, r := range ranges {
		b := make([]byte, r.Len())
		if err := p.Gather([]ptrace.Range{r}, b); err != nil {
			t.Fatal(err)
		}
		for at := r.Start; at < r.End; at += 4096 {
			all[at] = b[at-r.Start:][:4096]
		}
	}
	return all
}

// Every page whose contents have changed is said to be written, or to be no
// longer there, whatever the program did to it; and not many others are.
func TestWritten(t *testing.T) {
	for _, part := range []string{"touch", "discard", "move", "replace", "others", "grow", "threads", "deep"} {
		t.Run(part, func(t *testing.T) {
			program := debuggertest.Start(t, "heap.c", "16")
			p := attach(t, program, proc.Options{})
			written(t, p) // all
			for range 3 {
				program.Tell(part)
				stopAtMark(t, p, program.Symbol("begin_region"))
				before := pageBytes(t, p, written(t, p).Mapped)
				stopAtMark(t, p, program.Symbol("end_region"))
				w := written(t, p)
				for at, b := range pageBytes(t, p, w.Mapped) {
					old, was := before[at]
					if was && !bytes.Equal(b, old) && !has(w.Pages, at) && !has(w.Absent, at) {
						t.Errorf("page %#x has changed and is not said to be written", at)
					}
				}
				n := 0
				for _, r := range w.Pages {
					for at := r.Start; at < r.End; at += 4096 {
						if !has(w.Absent, at) {
							n++
						}
					}
				}
				if n > 3000 { // 16 MiB and more are 5,000 pages; grow has 800 new ones, discard a large one
					t.Errorf("%d pages are said to be written", n)
				}
			}
			if err := p.Detach(t.Context()); err != nil {
				t.Fatal(err)
			}
			requireUnharmed(t, program)
		})
	}
}

// Nothing of it is left in a process that was let go: no descriptor, no mapping
// that it did not have.
func TestWrittenLeavesNothing(t *testing.T) {
	program := debuggertest.Start(t, "heap.c")
	program.Ask("touch")
	program.AwaitSleep()
	before := mappings(t, program)
	p := attach(t, program, proc.Options{})
	written(t, p)
	if got := fmt.Sprint(links(t, program)); strings.Contains(got, "userfaultfd") {
		t.Errorf("the process has the descriptors %s", got)
	}
	resumeFor(t, p, 5*time.Millisecond)
	written(t, p)
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := mappings(t, program); got != before {
		t.Errorf("the mappings are\n%s, before they were\n%s", got, before)
	}
	requireUnharmed(t, program)
	program.Ask("grow")
}

func mappings(t testing.TB, program *debuggertest.Program) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", program.PID))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// links returns the targets of a process's descriptors, except those that Go
// programs open for polling when they first need them.
func links(t testing.TB, program *debuggertest.Program) []string {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", program.PID)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		to, err := os.Readlink(dir + "/" + e.Name())
		if err == nil && !strings.HasPrefix(to, "anon_inode:[event") {
			all = append(all, to)
		}
	}
	return all
}

// A new program is watched from its start, and children run as if their parent
// were not watched.
func TestWrittenAcrossForkAndExec(t *testing.T) {
	program := debuggertest.Start(t, "forker.c")
	p := attach(t, program, proc.Options{})
	written(t, p)
	for _, how := range []string{"fork", "vfork", "spawn"} {
		program.Tell(how)
		if got := answer(t, p, program); strings.HasPrefix(got, "-1") {
			t.Errorf("%s: the program says %q", how, got)
		}
		written(t, p)
	}
	program.Tell("exec")
	if stop := resume(t, p); stop.Why != proc.Executed {
		t.Fatalf("stop %+v, want exec", stop)
	}
	for range 2 {
		w := written(t, p)
		maps, err := p.Maps()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range maps {
			if m.Write && !has(w.Mapped, m.Start) {
				t.Errorf("%+v is not known", m)
			}
		}
		resumeFor(t, p, 10*time.Millisecond)
	}
	requireGone := descriptors(t)
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := descriptors(t); got >= requireGone {
		t.Errorf("%d descriptors are open after Detach, %d before", got, requireGone)
	}
	requireUnharmed(t, program)
}

// Where a filter may kill the process for a system call that it never does, it is
// not made to do one.
func TestWrittenWhereCallsAreFiltered(t *testing.T) {
	program := debuggertest.Start(t, "heap.c")
	program.Ask("seal")
	p := attach(t, program, proc.Options{})
	for range 2 {
		if _, err := p.Written(); !errors.Is(err, proc.ErrUnwatched) {
			t.Errorf("Written: %v, want ErrUnwatched", err)
		}
	}
	requireDetached(t, p, program)
}

// Gather reads what is there, and zeros where nothing is.
func TestGather(t *testing.T) {
	program := debuggertest.Start(t, "heap.c")
	p := attach(t, program, proc.Options{})
	at, text := program.Text()
	var ranges []ptrace.Range
	var want []byte
	add := func(start uint64, b []byte) {
		ranges = append(ranges, ptrace.Range{Start: start, End: start + uint64(len(b))})
		want = append(want, b...)
	}
	for i := range 1500 { // more than one call takes
		n := uint64(i % 200)
		add(at+n, text[n:n+uint64(i%7)])
	}
	add(0x1000, make([]byte, 5000)) // nothing is there
	add(at, text[:100])
	add(1<<63, make([]byte, 10)) // nor there, ever
	add(at+1, text[1:5])
	got := bytes.Repeat([]byte{0xaa}, len(want))
	if err := p.Gather(ranges, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("Gather differs: %v", err)
	}
	if err := p.Gather(nil, nil); err != nil {
		t.Errorf("Gather of nothing: %v", err)
	}
}
