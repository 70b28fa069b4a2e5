package setcache_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/setcache"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// A reader opens sets and counts the files that were read.
type reader struct {
	cache *setcache.Cache
	reads atomic.Int32
}

// open opens the file at path as a program does that has it mapped.
func (r *reader) open(t *testing.T, path string, program any) (*types.Set, func()) {
	t.Helper()
	file := elffile.OpenPath(path)
	if file == nil {
		t.Fatalf("%s cannot be read", path)
	}
	defer func() { _ = file.Close() }()
	return r.cache.Acquire(file, nil, program, func(*budget.Account) *types.Set {
		r.reads.Add(1)
		info, err := dwarfread.Open(file.Within(nil), dwarfread.Files{}, slog.New(slog.DiscardHandler))
		if err != nil {
			return nil
		}
		return types.NewSet(info)
	})
}

func (r *reader) want(t *testing.T, reads int32) {
	t.Helper()
	if got := r.reads.Load(); got != reads {
		t.Errorf("files were read %d times, want %d", got, reads)
	}
}

// settled returns the path of a program that was not changed just now.
func settled(t *testing.T, source string) string {
	t.Helper()
	path := debuggertest.Build(t, source)
	for {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if filestamp.Of(info).Settled(time.Now()) {
			return path
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Programs that use a file at once or in turn share its set.
func TestShared(t *testing.T) {
	path := settled(t, "threads.c")
	r := reader{cache: setcache.New(time.Hour, 1<<30)}
	first, release := r.open(t, path, "one")
	second, releaseSecond := r.open(t, path, "two")
	if first == nil || first != second {
		t.Errorf("two programs have the sets %p and %p", first, second)
	}
	release()
	release() // a second call does nothing: the other still has it
	releaseSecond()
	third, release := r.open(t, path, "three")
	defer release()
	if third != first {
		t.Error("the set of a program that has ended is not used again")
	}
	r.want(t, 1)
	if third.Named("int") == nil {
		t.Error("the set has no int")
	}
}

// Programs that need a file at the same moment read it once.
func TestReadOnce(t *testing.T) {
	path := settled(t, "threads.c")
	r := reader{cache: setcache.New(time.Hour, 1<<30)}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				set, release := r.open(t, path, i)
				if set == nil {
					t.Error("there is no set")
				}
				release()
			}
		})
	}
	all.Wait()
	r.want(t, 1)
}

// A program that has a file twice has two sets, so that a type tells the image.
func TestTwiceInOneProgram(t *testing.T) {
	path := settled(t, "threads.c")
	r := reader{cache: setcache.New(time.Hour, 1<<30)}
	first, release := r.open(t, path, "one")
	defer release()
	second, release := r.open(t, path, "one")
	defer release()
	if first == second {
		t.Error("they are one")
	}
}

// A file that has just changed is not shared, since it might change again without
// a trace.
func TestChangedFile(t *testing.T) {
	text, err := os.ReadFile(settled(t, "threads.c"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, text, 0o700); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour) // the test may be slow
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	r := reader{cache: setcache.New(time.Hour, 1<<30)}
	for i := range 2 {
		_, release := r.open(t, path, i)
		release()
	}
	r.want(t, 2)
}

// A set for which there was no memory is read when there is.
func TestRefused(t *testing.T) {
	path := settled(t, "threads.c")
	memory := budget.New(1 << 20)
	cache := setcache.New(time.Hour, 1<<30)
	opens := func(program any) (*types.Set, func()) {
		file := elffile.OpenPath(path)
		defer func() { _ = file.Close() }()
		return cache.Acquire(file, memory.Open("key_1"), program, func(a *budget.Account) *types.Set {
			if a.Take(1<<19) != nil {
				return nil
			}
			return &types.Set{}
		})
	}
	others := memory.Open("key_1")
	if err := others.Take(1<<20 - 1); err != nil {
		t.Fatal(err)
	}
	set, release := opens(1)
	defer release() // the first program goes on without a set
	if set != nil {
		t.Fatal("a set is in no memory")
	}
	others.Close()
	for program := range 2 {
		set, release := opens(2 + program)
		defer release()
		if set == nil {
			t.Errorf("program %d has no set", program)
		}
	}
}

// Sets that no program uses go after a while; those in use stay.
func TestIdleSetsExpire(t *testing.T) {
	path := settled(t, "threads.c")
	r := reader{cache: setcache.New(time.Millisecond, 1<<30)}
	_, release := r.open(t, path, "one")
	_, releaseSecond := r.open(t, path, "two")
	releaseSecond()
	time.Sleep(5 * time.Millisecond) // a timer would have fired
	_, releaseThird := r.open(t, path, "three")
	r.want(t, 1)
	release()
	releaseThird()
	for limit := time.Now().Add(time.Minute); r.reads.Load() == 1; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("an unused set stays")
		}
		_, release := r.open(t, path, "four")
		release()
	}
}

// A file that changes while it is read is not shared afterwards.
func TestChangedWhileItIsRead(t *testing.T) {
	text, err := os.ReadFile(settled(t, "threads.c"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, text, 0o700); err != nil {
		t.Fatal(err)
	}
	for info, err := os.Stat(path); !filestamp.Of(info).Settled(time.Now()); info, err = os.Stat(path) {
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	file := elffile.OpenPath(path)
	defer func() { _ = file.Close() }()
	cache := setcache.New(time.Hour, 1<<30)
	reads := 0
	read := func(*budget.Account) *types.Set {
		reads++
		if err := os.Chmod(path, 0o500); err != nil { // which moves the inode's time
			t.Error(err)
		}
		return types.NewSet(&dwarfread.Info{})
	}
	for user := range 2 {
		_, release := cache.Acquire(file, nil, user, read)
		release()
	}
	if reads != 2 {
		t.Errorf("the file was read %d times, want twice", reads)
	}
}

// Unused sets that are larger than the limit, or have nothing, are not kept.
func TestLargeSetsAreNotKept(t *testing.T) {
	r := reader{cache: setcache.New(time.Hour, 1)}
	for i := range 2 {
		_, release := r.open(t, settled(t, "threads.c"), i)
		release()
	}
	r.want(t, 2)
}

// A file that is not kept does not drive out those that are.
func TestUnusableSetsLeaveOthers(t *testing.T) {
	r := reader{cache: setcache.New(time.Hour, 1<<30)}
	_, release := r.open(t, settled(t, "threads.c"), "one")
	release()
	file := elffile.OpenPath(settled(t, "shapes.c"))
	defer func() { _ = file.Close() }()
	_, release = r.cache.Acquire(file, nil, "two", func(*budget.Account) *types.Set { return nil })
	release()
	_, release = r.open(t, settled(t, "threads.c"), "three")
	release()
	r.want(t, 1)
}

// A file that is dropped is closed without the lock: that may take long.
func TestFilesAreClosedWithoutTheLock(t *testing.T) {
	f, err := os.Open(settled(t, "threads.c"))
	if err != nil {
		t.Fatal(err)
	}
	cache := setcache.New(time.Hour, 1) // which keeps no set
	closed := make(chan struct{})
	file, err := elffile.Open(f, closer(func() error {
		defer close(closed)
		again := elffile.OpenPath(f.Name())
		_, release := cache.Acquire(again, nil, "other", func(*budget.Account) *types.Set { return nil })
		release()
		return errors.Join(again.Close(), f.Close())
	}))
	if err != nil {
		t.Fatal(err)
	}
	_, release := cache.Acquire(file, nil, "one", func(*budget.Account) *types.Set { return nil })
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	go release()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Fatal("the cache cannot be used while it closes a file")
	}
}

// A closer closes a file.
type closer func() error

func (c closer) Close() error { return c() }
