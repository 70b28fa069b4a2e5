package attack_test

import (
	"testing"
	"time"
)

// A sight holds the resources of a server.
type sight struct{ goroutines, files, heap float64 }

func (s *server) look(t *testing.T) sight {
	t.Helper()
	return sight{s.number(t, "go_goroutines"), s.number(t, "process_open_fds"), s.number(t, "go_memstats_heap_alloc_bytes")}
}

// What may be there besides: a connection or two of ours, and what the
// collector has not seen yet.
const (
	spareGoroutines = 6
	spareFiles      = 4
	spareHeap       = 8 << 20
)

// settles waits until the server holds what it held before. Requests keep its
// collector going.
func (s *server) settles(t *testing.T, before sight, greet func()) {
	t.Helper()
	var now sight
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		now = s.look(t)
		if now.goroutines <= before.goroutines+spareGoroutines && now.files <= before.files+spareFiles && now.heap <= before.heap+spareHeap {
			t.Logf("%v goroutines, %v files, %.1f MB, before %v, %v, %.1f MB",
				now.goroutines, now.files, now.heap/1e6, before.goroutines, before.files, before.heap/1e6)
			return
		}
		greet()
	}
	t.Errorf("afterwards %v goroutines, %v files, %.1f MB, before %v, %v, %.1f MB",
		now.goroutines, now.files, now.heap/1e6, before.goroutines, before.files, before.heap/1e6)
}
