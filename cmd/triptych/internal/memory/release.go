package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The memory of a server that is quiet again goes back to the system when it is
// more than quietMemory, looked at every releaseEvery.
const (
	releaseEvery = 10 * time.Second
	quietMemory  = 96 << 20
)

// repeatAfter is the time after which memory is given back again although the process
// has not grown: what was in use the last time may be garbage by now.
const repeatAfter = 30 * time.Second

// Release gives memory back to the system after clients made the server take
// much. Without it, an idle server would keep it for minutes. held returns the
// bytes that clients hold now.
func Release(ctx context.Context, held func() int64) error {
	r := releaser{held: held, usage: usage, free: debug.FreeOSMemory}
	tick := time.NewTicker(releaseEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			r.check(time.Now())
		}
	}
}

// A releaser decides when to give memory back.
type releaser struct {
	held  func() int64                       // bytes that clients hold
	usage func() (resident, allocated int64) // bytes now, and bytes allocated since the start
	free  func()

	at        time.Time // of the last release
	resident  int64     // after it
	allocated int64
}

// check gives memory back if it is much, clients hold little of it, and there may be
// garbage in it.
func (r *releaser) check(now time.Time) {
	resident, allocated := r.usage()
	if resident <= quietMemory || r.held() >= quietMemory/4 {
		return
	}
	grown := resident > r.resident+r.resident/4
	worked := allocated-r.allocated > quietMemory/4 && now.Sub(r.at) >= repeatAfter
	if !grown && !worked {
		return
	}
	r.free()
	r.at = now
	r.resident, r.allocated = r.usage()
}

// usage returns about how much memory the runtime has of the system, and how much the
// process has allocated since its start.
func usage() (resident, allocated int64) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/gc/heap/allocs:bytes"},
	}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64()), int64(samples[2].Value.Uint64())
}
