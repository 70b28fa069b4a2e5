package audit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// committed adds records to a log.
func committed(t *testing.T, l *Log, n int) {
	t.Helper()
	for range n {
		seq, err := l.Append(Record{Key: "k"})
		if err == nil {
			err = l.Commit(t.Context(), seq)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// from verifies a trail from checkpoints on, which must be whole.
func from(t *testing.T, l *Log, all Checkpoints) ChainReport {
	t.Helper()
	r, err := l.VerifyFrom(t.Context(), all)
	if err != nil || r.Err() != nil || len(r.Chains) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	return r.Chains[0]
}

// eachTrail runs a test on a trail of files and on one in a server.
func eachTrail(t *testing.T, test func(t *testing.T, open func() *Log, tamper func(l *Log))) {
	t.Run("files", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "audit")
		open := func() *Log { return New(Config{Dir: dir, MaxFile: 4000}) }
		test(t, open, func(l *Log) {
			path := numbered(filepath.Join(dir, l.chain.id), 1)
			text, err := os.ReadFile(path)
			if err == nil {
				text[len(text)/2] ^= 1
				err = os.WriteFile(path, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("server", func(t *testing.T) {
		client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
		keys := filepath.Join(t.TempDir(), "audit")
		open := func() *Log {
			l := NewValkey(ValkeyConfig{Client: client, KeyDir: keys, Name: "one"})
			l.backend.(*valkeyBackend).policy.segment = 4000
			return l
		}
		test(t, open, func(l *Log) { removeEntry(t, client, l.chain.id) })
	})
}

// removeEntry removes one of the first lines of a chain.
func removeEntry(t *testing.T, client redis.UniversalClient, chain string) {
	t.Helper()
	if err := client.XDel(t.Context(), streamNames{}.stream(chain), "7-0").Err(); err != nil {
		t.Fatal(err)
	}
}

// From a checkpoint the same is reported as from the beginning, by this process and the
// next; what is changed before it is found from the beginning only, and after it always.
func TestVerifyFromACheckpoint(t *testing.T) {
	eachTrail(t, func(t *testing.T, open func() *Log, tamper func(*Log)) {
		l := open()
		committed(t, l, 100)
		r, err := l.Verify(t.Context())
		if err != nil || r.Err() != nil || len(r.Checkpoints()) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		file := filepath.Join(t.TempDir(), "verified.json")
		if err := r.Checkpoints().Save(file); err != nil {
			t.Fatal(err)
		}
		committed(t, l, 50)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open()
		committed(t, l, 50)
		saved, err := LoadCheckpoints(file)
		if err != nil || saved[r.Chains[0].Chain].Records() != 100 {
			t.Fatalf("%+v, %v", saved, err)
		}
		got := from(t, l, saved)
		whole := from(t, l, nil)
		if got.From.IsZero() || !whole.From.IsZero() {
			t.Errorf("verified from %v and %v, want the time of the checkpoint and none", got.From, whole.From)
		}
		if got.Records != 200 || got.Last != 200 || got.Records != whole.Records || got.Hash != whole.Hash || got.Signed != whole.Signed || got.Recovered != whole.Recovered {
			t.Errorf("from a checkpoint:\n%+v\nfrom the beginning:\n%+v", got, whole)
		}
		tamper(l)
		if r, err := l.VerifyFrom(t.Context(), Checkpoints{got.Chain: *got.checkpoint}); err != nil || r.Err() != nil {
			t.Errorf("after the checkpoint all is whole: %v, %v", err, r.Err())
		}
		if r, err := l.Verify(t.Context()); err != nil || r.Err() == nil {
			t.Errorf("a change before the checkpoint is not found: %v", err)
		}
		forged := *got.checkpoint
		forged.Seq--
		if r, err := l.VerifyFrom(t.Context(), Checkpoints{got.Chain: forged}); err != nil || r.Err() == nil {
			t.Errorf("a checkpoint that is none spares the verification: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// What is removed after a checkpoint is found from there.
func TestVerifyFindsWhatIsAfterACheckpoint(t *testing.T) {
	client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
	l := NewValkey(ValkeyConfig{Client: client, KeyDir: filepath.Join(t.TempDir(), "audit"), Name: "one"})
	committed(t, l, 10)
	r, err := l.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	committed(t, l, 10)
	at := r.Checkpoints()[r.Chains[0].Chain]
	if err := client.XDel(t.Context(), at.File, entryID(at.Line+3)).Err(); err != nil {
		t.Fatal(err)
	}
	if r, err := l.VerifyFrom(t.Context(), r.Checkpoints()); err != nil || r.Err() == nil {
		t.Errorf("a line that was removed after the checkpoint is not found: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
