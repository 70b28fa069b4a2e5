package keys_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
)

func BenchmarkFind(b *testing.B) {
	s, err := keys.OpenFile(b.TempDir(), quiet, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	var token keys.Token
	for range 100 {
		if _, token, err = s.Create(b.Context(), keys.Live, keys.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
	text := token.Reveal()
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := keys.ParseToken(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("find", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Find(b.Context(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("find parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := s.Find(b.Context(), token); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

// TestLookUpAllocatesNothing: a look-up is on the way of every request.
func TestLookUpAllocatesNothing(t *testing.T) {
	dir := t.TempDir()
	s := openFile(t, dir, atNoon)
	_, token := create(t, s, keys.Settings{})
	text, ctx := token.Reveal(), t.Context()
	settled := time.Now().Add(-time.Minute) // another change cannot have this time
	if err := os.Chtimes(filepath.Join(dir, "keys.json"), settled, settled); err != nil {
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(1000, func() {
		parsed, err := keys.ParseToken(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Find(ctx, parsed); err != nil {
			t.Fatal(err)
		}
	})
	if got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}
