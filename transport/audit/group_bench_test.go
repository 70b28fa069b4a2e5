package audit

import (
	"crypto/ed25519"
	"log/slog"
	"testing"
	"time"
)

// A void stores nothing.
type void struct{ fakeBackend }

func (*void) write(*group, *chain) error { return nil }

// BenchmarkGroup makes groups of records, and BenchmarkSign what none can do
// without.
func BenchmarkGroup(b *testing.B) {
	l := newLog(nil, time.Now, slog.New(slog.DiscardHandler), false)
	l.chain = &chain{id: "0123456789abcdef", signer: &signer{key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}}
	l.medium, l.open = &void{}, true
	r := Record{
		Time: time.Now(), Key: "k_0123456789abcdef", Addr: "192.0.2.7", Method: "tools/call", Target: "get_ruleset",
		Outcome: OK, Duration: 17 * time.Microsecond,
	}
	for _, n := range []int{1, 22} {
		b.Run(map[int]string{1: "1", 22: "22"}[n], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var seq uint64
				for range n {
					seq, _ = l.Append(r)
				}
				if err := l.Commit(b.Context(), seq); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSign(b *testing.B) {
	key, text := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), make([]byte, 150)
	for b.Loop() {
		ed25519.Sign(key, text)
	}
}
