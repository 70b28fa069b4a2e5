package valkeystore

import (
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// One of the processes that share a database scans in an interval, whichever it is;
// installations with other prefixes scan by themselves.
func TestScanLease(t *testing.T) {
	url := "redis://" + valkeytest.Start(t).Addr
	open := func(prefix string) *Store {
		s, err := Open(t.Context(), url, prefix, slog.New(slog.DiscardHandler), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() }) // its server ends anyhow
		return s
	}
	one, two, other := open(""), open(""), open("b:")
	for _, step := range []struct {
		name string
		s    *Store
		want bool
	}{
		{"the first", one, true}, {"another one", two, false}, {"the first again", one, false}, {"another installation", other, true},
	} {
		if got, err := step.s.leaseScan(t.Context()); got != step.want || err != nil {
			t.Errorf("%s: %v, %v, want %v", step.name, got, err, step.want)
		}
	}
	if err := one.client.Del(t.Context(), one.key.scan()).Err(); err != nil { // as after its time
		t.Fatal(err)
	}
	if got, err := two.leaseScan(t.Context()); !got || err != nil {
		t.Errorf("after the time of the lease: %v, %v", got, err)
	}
}
