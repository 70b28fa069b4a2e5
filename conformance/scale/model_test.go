package scale_test

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// A design serves metered calls: servers, and a store whose parts each have one
// thread.
type design struct {
	servers, cores int     // servers and the cores of each
	inFlight       float64 // calls that a server handles at one time, which share an addition to its chain
	primaries      int     // that quotas, chains and rulesets are spread over
	auditOutside   bool    // records leave the store within a minute
	leased         float64 // requests in a block of quota; 1 asks the store for each
	memory         float64 // bytes of a primary
}

// The costs of a call, fitted to measurements of one and of three servers on two cores
// (commands of one connection share system calls, so a group of records costs more than
// a record).
const (
	readCost   = 8e-6   // seconds of a primary: to read a ruleset and store a record of a group
	groupCost  = 60e-6  // of a primary: to store a group of records
	quotaCost  = 21e-6  // of a primary: to count
	pollCost   = 15e-6  // of a primary: to ask for the version of the keys
	pollsEach  = 4.0    // a second and server
	serverCost = 119e-6 // of a server
	recordSize = 333.0  // bytes of a record in a stream
	callBytes  = 1200.0 // that a call moves between server and store
	network    = 1.25e9 // bytes a second of a primary's interface
	retention  = 86_400 // seconds that records stay in the store
	minute     = 60
)

// storeTime returns the seconds of a primary's thread that a call takes.
func (d design) storeTime() float64 {
	group := math.Max(1, d.inFlight)
	if d.auditOutside {
		group = math.Max(group, 100) // a buffer is written in large groups
	}
	return readCost + groupCost/group + quotaCost/math.Max(1, d.leased)
}

// A load is the used share of a part; 1 is all of it.
type load struct {
	part string
	used float64
}

// loads returns the use of all parts at a rate of calls, the most used first.
func (d design) loads(rate float64) []load {
	kept := float64(retention)
	if d.auditOutside {
		kept = minute
	}
	share := rate / float64(d.primaries)
	all := []load{
		{"the thread of a primary", share * d.storeTime()},
		{"the primary with the keys", float64(d.servers) * pollsEach * pollCost},
		{"the memory for records", share * recordSize * kept / d.memory},
		{"the network of a primary", share * callBytes / network},
		{"the processors of the servers", rate * serverCost / float64(d.servers*d.cores)},
	}
	slices.SortFunc(all, func(a, b load) int { return cmp.Compare(b.used, a.used) })
	return all
}

// limit returns the rate at which the first part is used up, and its name.
func (d design) limit() (rate float64, part string) {
	first := d.loads(1_000_000)[0]
	return 1_000_000 / first.used, first.part
}

// The model agrees with what was measured: the processor time of the store for a call,
// one server with 3.3 records in a group, and three with one.
func TestModelAgreesWithMeasurements(t *testing.T) {
	for _, m := range []struct {
		name     string
		inFlight float64
		leased   float64
		want     float64 // µs
	}{
		{"one server, not metered", 3.3, math.Inf(1), 26},
		{"one server, metered", 3.3, 1, 47},
		{"three servers, metered", 1, 1, 90},
	} {
		got := design{inFlight: m.inFlight, leased: m.leased}.storeTime() * 1e6
		if math.Abs(got-m.want) > 0.1*m.want {
			t.Errorf("%s: %.0f µs, measured %.0f", m.name, got, m.want)
		}
	}
}

// A hundred servers and a million calls a second: which part breaks first, and what is
// left when that is changed. docs/clusters.md has the same table.
func TestModelOfAHundredServers(t *testing.T) {
	today := design{servers: 100, cores: 8, inFlight: 1, primaries: 1, leased: 75, memory: 64 << 30}
	outside := today
	outside.auditOutside = true
	spread := outside
	spread.primaries = 16
	for _, step := range []struct {
		name     string
		d        design
		part     string
		from, to float64 // the limit is between these
	}{
		{"today", today, "the memory for records", 2_000, 3_000},
		{"today, with records for an hour", design{servers: 100, cores: 8, inFlight: 1, primaries: 1, leased: 75, memory: 24 * 64 << 30}, "the thread of a primary", 10_000, 20_000},
		{"records outside of the store", outside, "the thread of a primary", 100_000, 125_000},
		{"and sixteen primaries", spread, "the thread of a primary", 1_600_000, 2_000_000},
	} {
		rate, part := step.d.limit()
		t.Logf("%-32s %9.0f calls a second: %s", step.name, rate, part)
		if part != step.part || rate < step.from || rate > step.to {
			t.Errorf("%s: %s at %.0f, want %s between %.0f and %.0f", step.name, part, rate, step.part, step.from, step.to)
		}
	}
	if used := spread.loads(1_000_000)[0]; used.used > 1 {
		t.Errorf("at a million calls a second %s is used %.1f times", used.part, used.used)
	}
}
