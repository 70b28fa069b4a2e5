package audit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

var typical = audit.Record{
	Key: "kdb_live_1a2b3c4d", Addr: "192.0.2.1:50000", Session: "6f1c2c6e-6c39-4b52", Method: "tools/call",
	Target: "debugger/attach", Outcome: audit.OK, Duration: 1234 * time.Microsecond,
}

// BenchmarkAppend adds records without waiting for them.
func BenchmarkAppend(b *testing.B) {
	l := audit.New(audit.Config{Dir: filepath.Join(b.TempDir(), "audit")})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Append(typical); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCommit keeps records for good, many goroutines at once.
func BenchmarkCommit(b *testing.B) {
	for _, bc := range []struct {
		name       string
		goroutines int
	}{{"1", 0}, {"256", 128}, {"4096", 2048}} {
		b.Run(bc.name, func(b *testing.B) {
			l := audit.New(audit.Config{Dir: filepath.Join(b.TempDir(), "audit")})
			b.ReportAllocs()
			if bc.goroutines == 0 {
				for b.Loop() {
					commit(b, l)
				}
			} else {
				b.SetParallelism(bc.goroutines)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						commit(b, l)
					}
				})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func commit(b *testing.B, l *audit.Log) {
	seq, err := l.Append(typical)
	if err == nil {
		err = l.Commit(context.Background(), seq)
	}
	if err != nil {
		b.Error(err)
	}
}

// BenchmarkVerify checks a chain of 100,000 records.
func BenchmarkVerify(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "audit")
	l := audit.New(audit.Config{Dir: dir})
	for range 100_000 {
		if _, err := l.Append(typical); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if report, err := audit.Verify(b.Context(), dir); err != nil || report.Records() != 100_000 {
				b.Fatal(report, err)
			}
		}
	})
	b.Run("query", func(b *testing.B) {
		for b.Loop() {
			for _, err := range audit.Query(b.Context(), dir, audit.Filter{From: time.Now().Add(-time.Second)}) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkLookUpOfARareKey finds the only record of a key among TRIPTYCH_TEST_RECORDS,
// 100,000 unless that says otherwise, in a server, and verifies from the last checkpoint on.
func BenchmarkLookUpOfARareKey(b *testing.B) {
	records := 100_000
	if text := os.Getenv("TRIPTYCH_TEST_RECORDS"); text != "" {
		records, _ = strconv.Atoi(text)
	}
	client := valkeytest.Client(b, "redis://"+valkeytest.Start(b).Addr)
	l := audit.NewValkey(audit.ValkeyConfig{Client: client, KeyDir: filepath.Join(b.TempDir(), "audit"), Name: "one"})
	var last uint64
	for i := range records {
		key := fmt.Sprintf("key_%d", i%100)
		if i == records/2 {
			key = "rare"
		}
		seq, err := l.Append(audit.Record{Key: key, Method: "tools/call", Target: "get_ruleset", Outcome: audit.OK, Addr: "192.0.2.1"})
		if err != nil {
			b.Fatal(err)
		}
		last = seq
	}
	if err := l.Commit(b.Context(), last); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	report, err := l.Verify(b.Context())
	if err != nil || report.Err() != nil {
		b.Fatal(err, report.Err())
	}
	b.Logf("%d records are verified in %v", records, time.Since(began))
	for b.Loop() {
		found := 0
		for _, err := range l.Query(b.Context(), audit.Filter{Key: "rare"}) {
			if err != nil {
				b.Fatal(err)
			}
			found++
		}
		if report, err = l.VerifyFrom(b.Context(), report.Checkpoints()); err != nil || report.Err() != nil || found != 1 {
			b.Fatal(err, report.Err(), found)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}
