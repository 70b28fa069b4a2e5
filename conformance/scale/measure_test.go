//go:build unix

package scale_test

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMeasureCosts measures the processor time of the store for a metered look-up, by the
// number of servers and of calls in flight at each: the figures of measured. It runs with
// TRIPTYCH_TEST_MEASURE only, on a machine that does nothing else.
func TestMeasureCosts(t *testing.T) {
	if os.Getenv("TRIPTYCH_TEST_MEASURE") == "" {
		t.Skip("TRIPTYCH_TEST_MEASURE is not set")
	}
	for _, m := range measured {
		store := startNode(t)
		token := newKey(t, store.url(), "--plan", "enterprise", "--month", "10000000", "--minute", "6000000")
		var servers []*server
		for range m.servers {
			servers = append(servers, start(t, store.url()))
		}
		if err := newCaller(token).create(t.Context(), servers[0].url(), "measured"); err != nil {
			t.Fatal(err)
		}
		const calls = 3000 // of all
		began, before := time.Now(), cpuOf(t, store)
		var wg sync.WaitGroup
		for _, s := range servers {
			for range m.inFlight {
				wg.Go(func() {
					c := newCaller(token)
					for range calls / (m.servers * m.inFlight) {
						if err := c.call(t.Context(), s.url(), "get_ruleset", map[string]any{"name": "measured"}); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		wg.Wait()
		took, used := time.Since(began), cpuOf(t, store)-before
		idle, at := cpuOf(t, store), time.Now()
		time.Sleep(2 * time.Second)
		idle = time.Duration(float64(cpuOf(t, store)-idle) * float64(took) / float64(time.Since(at)))
		t.Logf("%d servers, %d in flight: %.1f µs of the store for a call, %.0f calls/s", m.servers, m.inFlight,
			float64((used-idle).Microseconds())/calls, calls/took.Seconds())
	}
}

// cpuOf returns the processor time that a store has used.
func cpuOf(t *testing.T, n *node) time.Duration {
	t.Helper()
	total := 0.0
	for line := range strings.Lines(n.client.Info(t.Context(), "cpu").Val()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_sys" || name == "used_cpu_user" {
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			total += seconds
		}
	}
	return time.Duration(total * float64(time.Second))
}
