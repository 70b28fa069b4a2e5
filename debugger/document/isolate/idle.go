package isolate

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// toIdle is the time without requests after which memory is given back.
	toIdle = 2 * time.Second
	// minGarbage is the memory in bytes that is worth a collection.
	minGarbage = 32 << 20
)

// An idler gives the memory of an idle process that holds nothing back to the system,
// so that the process has little more than its cache.
type idler struct{ timer *time.Timer }

func newIdler() *idler {
	i := &idler{time.AfterFunc(toIdle, giveBack)}
	i.timer.Stop()
	return i
}

func (i *idler) busy() { i.timer.Stop() }
func (i *idler) idle() { i.timer.Reset(toIdle) }

// giveBack collects garbage if there is enough of it.
func giveBack() {
	if garbage() >= minGarbage {
		debug.FreeOSMemory()
	}
}

// garbage returns the bytes of memory that hold nothing that was in use at the last
// collection.
func garbage() int64 {
	all := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(all)
	value := func(i int) int64 { return int64(all[i].Value.Uint64()) }
	return value(0) + value(1) + value(2) - value(3)
}
