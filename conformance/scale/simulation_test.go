//go:build unix

package scale_test

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"testing"
)

// measured is the processor time of the store for a metered look-up, in microseconds, by
// the number of servers and of calls in flight at each, as TestMeasureCosts has it on two
// cores. The costs of the simulation are fitted to those of one server; the others are held
// out, to check what it says of more servers.
var measured = []struct {
	servers, inFlight int
	micros            float64
	heldOut           bool
}{
	{servers: 1, inFlight: 1, micros: 83.4},
	{servers: 1, inFlight: 8, micros: 38.2},
	{servers: 2, inFlight: 1, micros: 76.6, heldOut: true},
	{servers: 2, inFlight: 8, micros: 38.1, heldOut: true},
	{servers: 3, inFlight: 1, micros: 76.7, heldOut: true},
	{servers: 3, inFlight: 8, micros: 37.4, heldOut: true},
}

// A station works on one request after the other, or on as many as it has lines.
type station struct {
	free []float64 // when each line is free, in seconds
	busy float64   // seconds of work
}

func newStation(lines int) *station { return &station{free: make([]float64, lines)} }

// serve returns when a request is done that comes at a time and takes some seconds.
// Requests must come in order.
func (s *station) serve(at, takes float64) float64 {
	first := 0
	for i := range s.free {
		if s.free[i] < s.free[first] {
			first = i
		}
	}
	s.free[first] = math.Max(at, s.free[first]) + takes
	s.busy += takes
	return s.free[first]
}

// An event happens at a time.
type event struct {
	at float64
	do func(at float64)
}

// events holds the events to come, the next one first.
type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// storeCosts are the seconds of a primary's thread for a look-up with its record: those of
// each call, and those that the calls in flight at one server share, whose commands come
// together and whose records are stored as a group.
type storeCosts struct{ call, shared float64 }

// mostShared is the number of calls in flight up to which it was measured that they share.
const mostShared = 8

// A cluster of servers is simulated: each call is worked on by its server, reads from a
// primary, is worked on again, and is answered when its record is stored.
type cluster struct {
	costs     storeCosts
	server    float64    // seconds of a server's processors for a call
	machines  []*station // the processors; those of server i are machines[i%len(machines)]
	primaries []*station

	to       events
	done     int   // calls
	inFlight []int // by server
}

func newCluster(servers int, costs storeCosts, server float64, machines, cores, primaries int) *cluster {
	c := &cluster{costs: costs, server: server, inFlight: make([]int, servers)}
	for range machines {
		c.machines = append(c.machines, newStation(cores))
	}
	for range primaries {
		c.primaries = append(c.primaries, newStation(1))
	}
	return c
}

func (c *cluster) after(at float64, do func(at float64)) { heap.Push(&c.to, event{at, do}) }

// call simulates a call at a server, and what follows its answer.
func (c *cluster) call(server int, at float64, then func(at float64)) {
	machine, primary := c.machines[server%len(c.machines)], c.primaries[server%len(c.primaries)]
	c.inFlight[server]++
	half := func() float64 { // of the work of the store
		return (c.costs.call + c.costs.shared/float64(min(mostShared, c.inFlight[server]))) / 2
	}
	c.after(machine.serve(at, c.server/2), func(at float64) {
		c.after(primary.serve(at, half()), func(at float64) {
			c.after(machine.serve(at, c.server/2), func(at float64) {
				c.after(primary.serve(at, half()), func(at float64) {
					c.inFlight[server]--
					c.done++
					then(at)
				})
			})
		})
	})
}

// run simulates until a time.
func (c *cluster) run(until float64) {
	for len(c.to) > 0 && c.to[0].at < until {
		next := heap.Pop(&c.to).(event)
		next.do(next.at)
	}
}

// closed simulates servers of one machine with so many calls in flight at each, and returns
// the microseconds of the store for a call.
func closed(costs storeCosts, servers, inFlight int) (micros float64) {
	const processor = 450e-6 // of the servers and of the test for a call, where it was measured
	c := newCluster(servers, costs, processor, 1, 2, 1)
	for s := range servers {
		for range inFlight {
			var again func(at float64)
			again = func(at float64) { c.call(s, at, again) }
			again(0)
		}
	}
	c.run(1)
	return c.primaries[0].busy * 1e6 / float64(c.done)
}

// fitted returns the costs with which the simulation has the measurements of one server.
func fitted() storeCosts {
	alone, several := measured[0].micros*1e-6, measured[1].micros*1e-6
	shared := (alone - several) / (1 - 1/float64(measured[1].inFlight))
	return storeCosts{call: alone - shared, shared: shared}
}

// What the simulation says of two and of three servers, to which it was not fitted, is
// measured within 15 %.
func TestSimulationPredictsMoreServers(t *testing.T) {
	costs := fitted()
	t.Logf("a call takes %.1f µs of the store, and shares %.1f µs with those in flight", costs.call*1e6, costs.shared*1e6)
	for _, m := range measured {
		micros := closed(costs, m.servers, m.inFlight)
		t.Logf("%d servers, %d in flight: %.1f µs, measured %.1f", m.servers, m.inFlight, micros, m.micros)
		if off := math.Abs(micros-m.micros) / m.micros; m.heldOut && off > 0.15 || !m.heldOut && off > 0.05 {
			t.Errorf("%d servers, %d in flight: %.1f µs, measured %.1f", m.servers, m.inFlight, micros, m.micros)
		}
	}
}

// A hundred servers of eight cores with a million calls a second: one primary answers some
// ten thousands of them, and its thread is used up while the servers idle; with fifty
// primaries all are answered.
func TestSimulationOfAHundredServers(t *testing.T) {
	costs := fitted()
	for _, test := range []struct {
		name      string
		primaries int
		rate      float64 // calls a second
		from, to  float64 // share of the calls that are answered in time
	}{
		{"one primary, 10,000 calls a second", 1, 10_000, 0.95, 1},
		{"one primary, a million", 1, 1_000_000, 0, 0.15},
		{"fifty primaries, a million", 50, 1_000_000, 0.95, 1},
	} {
		const servers, cores, span = 100, 8, 0.1 // seconds
		c := newCluster(servers, costs, serverCost, servers, cores, test.primaries)
		random := rand.New(rand.NewPCG(1, 2)) // the same calls each time
		sent := 0
		var arrive func(at float64)
		arrive = func(at float64) {
			sent++
			c.call(random.IntN(servers), at, func(float64) {})
			c.after(at+random.ExpFloat64()/test.rate, arrive)
		}
		arrive(0)
		c.run(span)
		store, processors := 0.0, 0.0
		for _, p := range c.primaries {
			store = math.Max(store, math.Min(1, p.busy/span))
		}
		for _, m := range c.machines {
			processors = math.Max(processors, m.busy/span/cores)
		}
		share := float64(c.done) / float64(sent)
		t.Logf("%s: %.0f%% answered; the busiest primary is used to %.0f%%, the busiest server to %.0f%%", test.name, 100*share, 100*store, 100*processors)
		if share < test.from || share > test.to || processors > 0.9 {
			t.Errorf("%s: %.2f are answered, want %.2f to %.2f; processors %.2f", test.name, share, test.from, test.to, processors)
		}
	}
}
