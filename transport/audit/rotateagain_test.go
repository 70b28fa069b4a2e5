package audit

import (
	"context"
	"crypto/ed25519"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
)

// A key that followed the first one and was compromised later makes no chain trusted that it
// signed elsewhere, also for those who trust only the first key.
func TestKeyIsCompromisedAfterRotation(t *testing.T) {
	for name, inUse := range map[string]bool{"at rest": false, "in use": true} {
		t.Run(name, func(t *testing.T) {
			dir, stolen := filepath.Join(t.TempDir(), "audit"), t.TempDir()
			l := New(Config{Dir: dir})
			commitTo(t, l, 1)
			first := keyIn(t, dir)
			rotateIn(t, dir, false)
			commitTo(t, l, 1)
			if !inUse {
				closeLog(t, l)
			}
			copyKeys(t, dir, stolen)
			last := rotateIn(t, dir, true)
			addForged(t, dir, stolen, first)
			trusted := map[string][]ed25519.PublicKey{"the folder's keys": nil, "the last key": {last.New}}
			if !inUse { // else no chain says yet that the second key was compromised
				trusted["the first key"] = []ed25519.PublicKey{publicOf(first)}
			}
			for what, keys := range trusted {
				b := New(Config{Dir: dir}).backend
				chains, err := b.chains(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				tr, err := b.trusted(keys)
				if err != nil {
					t.Fatal(err)
				}
				r, tr, err := verifyChains(t.Context(), b, chains, nil, tr)
				if err != nil || len(r.Chains) != 3 || r.Records() != 2 {
					t.Errorf("with %s: %d records, %v, %v, want the 2 of the server", what, r.Records(), err, r.Err())
				}
				wantUntrusted(t, "with "+what, New(Config{Dir: dir}), 2, keys...)
				if isAmong(tr.keys, last.Old) {
					t.Errorf("with %s: the key that was compromised is trusted", what)
				}
			}
			wantWhole(t, "with the key that was compromised", New(Config{Dir: dir}), 7, last.Old)
			if inUse {
				closeLog(t, l)
			}
		})
	}
}

// keyIn returns the signing key of a folder.
func keyIn(t *testing.T, dir string) ed25519.PrivateKey {
	t.Helper()
	key, err := keyfile.Private(dir)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

// addForged adds two chains to a trail that a thief of a key makes: one begins with that key, the
// other with the first key, which anybody may name there, and the rotation from one to the other.
func addForged(t *testing.T, dir, stolen string, first ed25519.PrivateKey) {
	t.Helper()
	thief := New(Config{Dir: stolen})
	commitTo(t, thief, 5)
	closeLog(t, thief)
	id := onlyChain(t, thief)
	if err := os.Rename(filepath.Join(stolen, id), filepath.Join(dir, id)); err != nil {
		t.Fatal(err)
	}
	s, err := loadSigner(stolen)
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{id: newID(), signer: &signer{key: first}}
	data := c.add(nil, note{File: c.header(1, time.Now())}.body())
	c.signer, c.pending = s, s.rotations
	data = c.addHead(c.addRotations(data), time.Now())
	lines := slices.Collect(linesOf(data))
	head := lines[len(lines)-1]
	err = os.Mkdir(filepath.Join(dir, c.id), 0o700)
	if err == nil {
		err = os.WriteFile(numbered(filepath.Join(dir, c.id), 1), data, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, c.id, headFile), padded(head), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A chain of a store whose published head is none does not keep others from being rotated, and its
// server goes on with it.
func TestCompromisedWithDamagedHead(t *testing.T) {
	k := trailKinds["store"](t)
	killed := k.open(k.keys)
	commitTo(t, killed, 2)
	b := killed.backend.(*valkeyBackend)
	if err := b.client.HSet(t.Context(), b.names.heads(), onlyChain(t, killed), "damage").Err(); err != nil {
		t.Fatal(err)
	}
	k.rotate(true)
	l := k.open(k.keys)
	commitTo(t, l, 1)
	onlyChain(t, l)
	wantWhole(t, "after a start", l, 3)
	closeLog(t, l)
	closeLog(t, killed)
}

// A headless is a hook that finds no field of any hash.
type headless struct{}

func (headless) DialHook(next redis.DialHook) redis.DialHook { return next }

func (headless) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (headless) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "hget" {
			cmd.SetErr(redis.Nil)
			return redis.Nil
		}
		return next(ctx, cmd)
	}
}

// A published head that is removed while heads are read, such as by policy, keeps no key from being
// replaced, and the end of the stream is attested.
func TestHeadGoesWhileKeyIsReplaced(t *testing.T) {
	k := trailKinds["store"](t)
	l := k.open(k.keys)
	commitTo(t, l, 2)
	b := l.backend.(*valkeyBackend)
	s, err := loadSigner(k.keys)
	if err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	want, err := b.headsToAttest(t.Context(), s)
	if err != nil || len(want) != 1 {
		t.Fatalf("%v, %v, want a head", want, err)
	}
	b.client.AddHook(headless{})
	got, err := b.headsToAttest(t.Context(), s)
	if err != nil || !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// A head that a server signs with the old key while that is replaced is attested, too.
func TestSignsWhileKeyIsReplaced(t *testing.T) {
	for name, kind := range trailKinds {
		t.Run(name, func(t *testing.T) {
			k := kind(t)
			killed := k.open(k.keys)
			commitTo(t, killed, 2)
			var stores []ValkeyConfig
			if b, ok := killed.backend.(*valkeyBackend); ok {
				stores = []ValkeyConfig{{Client: b.client, KeyDir: k.keys, Name: "one"}}
			}
			f := newFiles(Config{Dir: k.keys})
			old, err := loadSigner(k.keys)
			if err != nil {
				t.Fatal(err)
			}
			heads, err := f.allHeads(t.Context(), old, stores)
			if err != nil {
				t.Fatal(err)
			}
			commitTo(t, killed, 1)
			next, err := old.rotate(f.cfg, true, heads)
			if err != nil {
				t.Fatal(err)
			}
			wantUntrusted(t, "before it is attested", k.open(k.keys), 1)
			for range 2 { // the second time there is nothing to add
				next = f.attestAgain(t.Context(), old, next, stores)
			}
			wantWhole(t, "attested", k.open(k.keys), 3, next.public())
			keys := withoutLocks(t, name, k.keys)
			l := k.open(keys)
			commitTo(t, l, 1)
			onlyChain(t, l)
			wantWhole(t, "after a start", l, 4)
			closeLog(t, l)
			closeLog(t, killed)
		})
	}
}

// No key is replaced as compromised while a file cannot be read that has the end of a chain. A
// chain that is damaged is no reason to stop.
func TestCompromisedWhileFilesCannotBeRead(t *testing.T) {
	for _, name := range []string{headFile, filepath.Base(numbered("", 1))} {
		t.Run(name, func(t *testing.T) {
			dir := restingTrail(t, 2)
			id := anyChain(t, dir)
			path, aside := filepath.Join(dir, id, name), filepath.Join(t.TempDir(), name)
			err := os.Rename(path, aside)
			if err == nil {
				err = os.Mkdir(path, 0o700) // opens, and cannot be read
			}
			if err != nil {
				t.Fatal(err)
			}
			before := keyIn(t, dir)
			if r, err := Rotate(t.Context(), Config{Dir: dir}, true); err == nil {
				t.Errorf("%+v, want an error", r)
			}
			if !keyIn(t, dir).Equal(before) {
				t.Error("the key was replaced")
			}
			err = os.Remove(path)
			if err == nil {
				err = os.Rename(aside, path)
			}
			if err != nil {
				t.Fatal(err)
			}
			wantWhole(t, "readable again", New(Config{Dir: dir}), 4)
			if err := os.WriteFile(filepath.Join(dir, id, headFile), []byte("damage"), 0o600); err != nil {
				t.Fatal(err)
			}
			r := rotateIn(t, dir, true)
			if len(r.Signed) != 1 || len(r.Unsigned) != 1 || r.Unsigned[0] != id {
				t.Errorf("%+v, want that only chain %s is not signed", r, id)
			}
		})
	}
}
