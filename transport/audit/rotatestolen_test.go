package audit

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// closeLog closes a log.
func closeLog(t *testing.T, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// textOf returns the lines and the head of a chain.
func textOf(t *testing.T, l *Log, id string) string {
	t.Helper()
	chains, err := l.backend.chains(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(chains, func(c stored) bool { return c.id() == id })
	if i < 0 {
		t.Fatalf("chain %s is gone", id)
	}
	head, err := chains[i].head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := string(head) + "\n"
	for at, err := range chains[i].lines(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		text += string(at.text) + "\n"
	}
	return text
}

// onlyChain returns the id of the only chain of a trail.
func onlyChain(t *testing.T, l *Log) string {
	t.Helper()
	chains, err := l.Chains(t.Context())
	if err != nil || len(chains) != 1 {
		t.Fatalf("%d chains, %v, want one", len(chains), err)
	}
	return chains[0].ID
}

// A trailKind is a medium of trails, in the tests of a stolen key.
type trailKind struct {
	open    func(keys string) *Log // of the server
	rotate  func(compromised bool) Rotation
	replace func(stolen string) // leaves only what is in forge
	forge   func(stolen string) *Log
	keys    string
}

// trailKinds are the kinds of trails: files, and a store.
var trailKinds = map[string]func(t *testing.T) trailKind{
	"files": func(t *testing.T) trailKind {
		dir := filepath.Join(t.TempDir(), "audit")
		at := func(dir string) *Log { return New(Config{Dir: dir}) }
		return trailKind{
			keys: dir, open: at, forge: at,
			rotate: func(compromised bool) Rotation { return rotateIn(t, dir, compromised) },
			replace: func(stolen string) {
				own, forged := onlyChain(t, at(dir)), onlyChain(t, at(stolen))
				if err := os.RemoveAll(filepath.Join(dir, own)); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(filepath.Join(stolen, forged), filepath.Join(dir, forged)); err != nil {
					t.Fatal(err)
				}
			},
		}
	},
	"store": func(t *testing.T) trailKind {
		addr := "redis://" + valkeytest.Start(t).Addr
		own, thief := valkeytest.Client(t, addr), valkeytest.Client(t, addr+"/1")
		dir := filepath.Join(t.TempDir(), "audit")
		config := func(client redis.UniversalClient, dir string) ValkeyConfig {
			return ValkeyConfig{Client: client, KeyDir: dir, Name: "one"}
		}
		return trailKind{
			keys:  dir,
			open:  func(dir string) *Log { return NewValkey(config(own, dir)) },
			forge: func(dir string) *Log { return NewValkey(config(thief, dir)) },
			rotate: func(compromised bool) Rotation {
				r, err := Rotate(t.Context(), Config{Dir: dir}, compromised, config(own, dir))
				if err != nil {
					t.Fatal(err)
				}
				return r
			},
			replace: func(string) {
				if err := own.Do(t.Context(), "SWAPDB", 0, 1).Err(); err != nil {
					t.Fatal(err)
				}
			},
		}
	},
}

// A chain that was forged with a key that is compromised stays as it is, and is not trusted,
// whatever the server and its operator do: the server begins a chain that says why.
func TestForgedWithCompromisedKey(t *testing.T) {
	for name, kind := range trailKinds {
		t.Run(name, func(t *testing.T) {
			k := kind(t)
			l := k.open(k.keys)
			commitTo(t, l, 3)
			closeLog(t, l)
			stolen := t.TempDir()
			copyKeys(t, k.keys, stolen)
			if r := k.rotate(true); len(r.Signed) != 1 {
				t.Errorf("%+v, want one chain that is signed", r)
			}
			wantWhole(t, "at rest", k.open(k.keys), 3)

			thief := k.forge(stolen)
			commitTo(t, thief, 5)
			closeLog(t, thief)
			k.replace(stolen)
			l = k.open(k.keys)
			wantUntrusted(t, "a forged trail", l, 1)
			forged := onlyChain(t, l)
			before := textOf(t, l, forged)
			for n := range uint64(3) { // times that the server is started
				commitTo(t, l, 1)
				wantUntrusted(t, "after a start", l, 1)
				closeLog(t, l)
				l = k.open(k.keys)
				if n == 1 {
					if r := k.rotate(false); len(r.Signed) != 1 || len(r.Untrusted) != 1 || r.Untrusted[0] != forged {
						t.Errorf("a second rotation: %+v, want that chain %s is not signed", r, forged)
					}
				}
			}
			if r := k.rotate(true); len(r.Signed) != 1 || len(r.Untrusted) != 1 {
				t.Errorf("a third rotation: %+v", r)
			}
			wantUntrusted(t, "at last", l, 1)
			if after := textOf(t, l, forged); after != before {
				t.Errorf("the forged chain was changed:\n%s\nit was\n%s", after, before)
			}
			report, err := l.Verify(t.Context())
			if err != nil || report.Records() != 3 || len(report.Chains) != 2 {
				t.Errorf("%+v, %v, want 3 records in a chain of the server", report, err)
			}
			wantLeftNote(t, l, forged)
		})
	}
}

// wantLeftNote checks that the other chains say, once, why a chain was left.
func wantLeftNote(t *testing.T, l *Log, left string) {
	t.Helper()
	chains, err := l.Chains(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var said [][]string
	for _, c := range chains {
		for text := range strings.Lines(textOf(t, l, c.ID)) {
			l, err := parseLine([]byte(strings.TrimSuffix(text, "\n")))
			if err == nil && l.note != nil && l.note.Chains != nil && strings.Contains(l.note.Chains.Left, "compromised") {
				said = append(said, l.note.Chains.IDs)
			}
		}
	}
	if len(said) != 1 || !slices.Equal(said[0], []string{left}) {
		t.Errorf("notes say that chains %q were left, want %s once", said, left)
	}
}

// A server that runs while its key is found to be compromised goes on with its chain, and signs
// it with the new key also when it is stopped without another record.
func TestRunsWhileKeyIsCompromised(t *testing.T) {
	for name, kind := range trailKinds {
		for records, what := range []string{"and stops", "and records"} {
			t.Run(name+" "+what, func(t *testing.T) {
				k := kind(t)
				l := k.open(k.keys)
				commitTo(t, l, 2)
				if r := k.rotate(true); len(r.Busy) != 1 || len(r.Signed) != 0 {
					t.Errorf("%+v, want one chain that is in use", r)
				}
				wantWhole(t, "before the server has signed", k.open(k.keys), 2)
				if records > 0 {
					commitTo(t, l, records)
				}
				closeLog(t, l)
				l = k.open(k.keys)
				wantWhole(t, "then", l, uint64(2+records))
				commitTo(t, l, 1)
				wantWhole(t, "after a start", l, uint64(3+records))
				onlyChain(t, l)
				closeLog(t, l)
			})
		}
	}
}

// A server that was killed before it had signed with the new key goes on with its chain: the new
// key has attested where it ended.
func TestKilledWhileKeyIsCompromised(t *testing.T) {
	for name, kind := range trailKinds {
		t.Run(name, func(t *testing.T) {
			k := kind(t)
			killed := k.open(k.keys)
			commitTo(t, killed, 2)
			k.rotate(true)
			wantWhole(t, "before it is killed", k.open(k.keys), 2)
			keys := withoutLocks(t, name, k.keys)
			l := k.open(keys)
			onlyChain(t, l)
			commitTo(t, l, 1)
			onlyChain(t, l)
			wantWhole(t, "after a start", l, 3)
			closeLog(t, l)
			wantWhole(t, "at last", k.open(keys), 3)
			closeLog(t, killed)
		})
	}
}

// withoutLocks returns a copy of a folder that the process does not lock, or the folder of a
// store, where there are no locks.
func withoutLocks(t *testing.T, kind, keys string) string {
	t.Helper()
	if kind != "files" {
		return keys
	}
	other := filepath.Join(t.TempDir(), "audit")
	if err := os.CopyFS(other, os.DirFS(keys)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(other, 0o700); err != nil {
		t.Fatal(err)
	}
	return other
}

// What a thief signs behind a head that is attested is not trusted, and neither is a key to which
// they pass the chain on. No server goes on there.
func TestThiefGoesOnBehindAttestedHead(t *testing.T) {
	_, thiefs, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range trailKinds {
		for what, next := range map[string]ed25519.PrivateKey{"signs": nil, "passes it on": thiefs} {
			t.Run(name+" "+what, func(t *testing.T) {
				k := kind(t)
				server := k.open(k.keys)
				commitTo(t, server, 2)
				old, err := keyfile.Private(k.keys)
				if err != nil {
					t.Fatal(err)
				}
				k.rotate(true)
				keys := withoutLocks(t, name, k.keys)
				l := k.open(keys)
				id := onlyChain(t, l)
				addAs(t, l, id, old, next)
				report, err := l.Verify(t.Context())
				if err != nil || len(report.Chains) != 1 || report.Chains[0].Broken == nil || len(report.Chains[0].successors) > 0 {
					t.Errorf("%+v, %v, want a chain that is not trusted", report, err)
				}
				before := textOf(t, l, id)
				commitTo(t, l, 1)
				if after := textOf(t, l, id); after != before {
					t.Errorf("the server goes on behind the head of the thief:\n%s", after)
				}
				if what == "signs" {
					wantLeftNote(t, l, id)
				}
				report, err = l.Verify(t.Context())
				if err != nil || len(report.Chains) != 2 || report.Records() != 1 {
					t.Errorf("after a start: %+v, %v, want 1 record in a chain of the server", report, err)
				}
				closeLog(t, l)
				closeLog(t, server)
			})
		}
	}
}

// addAs adds a signed head to a chain, as the holder of a key does, who may pass it on to a next
// key before.
func addAs(t *testing.T, l *Log, id string, key, next ed25519.PrivateKey) {
	t.Helper()
	var c *chain
	var w medium
	switch b := l.backend.(type) {
	case *files:
		c = &chain{id: id, signer: &signer{key: key}}
		file, err := b.resume(c, flock.New(filepath.Join(t.TempDir(), "lock")), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.closeFiles() }()
		w = file
	case *valkeyBackend:
		var stream *streamWriter
		c, stream = b.writerOf(id, &signer{key: key})
		if found, err := stream.resume(c); err != nil || !found {
			t.Fatal(found, err)
		}
		w = stream
	}
	g := &group{}
	if next != nil {
		c.pending = []rotationNote{newRotation(key, next.Public().(ed25519.PublicKey), false, time.Now())}
		g.data = c.addRotations(nil)
		c.signer = &signer{key: next}
	}
	g.sign(c, time.Now())
	if err := w.write(g, c); err != nil {
		t.Fatal(err)
	}
}

// A head that the thief adds behind those of the new key makes a chain end as none of ours.
func TestThiefAddsToStream(t *testing.T) {
	k := trailKinds["store"](t)
	l := k.open(k.keys)
	commitTo(t, l, 1)
	closeLog(t, l)
	old, err := keyfile.Private(k.keys)
	if err != nil {
		t.Fatal(err)
	}
	k.rotate(true)
	id := onlyChain(t, l)
	b := l.backend.(*valkeyBackend)
	present, err := loadSigner(k.keys)
	if err != nil {
		t.Fatal(err)
	}
	c, w := b.writerOf(id, present)
	if found, err := w.resume(c); err != nil || !found {
		t.Fatal(found, err)
	}
	g := &group{}
	c.signer = &signer{key: old}
	g.sign(c, b.now())
	if err := w.write(g, c); err != nil {
		t.Fatal(err)
	}
	l = k.open(k.keys)
	before := textOf(t, l, id)
	commitTo(t, l, 1)
	if after := textOf(t, l, id); after != before {
		t.Errorf("the server goes on behind the head of the thief:\n%s", after)
	}
	wantWhole(t, "what the new key has signed", l, 2)
	closeLog(t, l)
}
