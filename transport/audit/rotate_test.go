package audit

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// commitTo adds records to a log and has them signed.
func commitTo(t *testing.T, l *Log, n int) {
	t.Helper()
	for range n {
		seq, err := l.Append(Record{Key: "k", Outcome: OK})
		if err == nil {
			err = l.Commit(t.Context(), seq)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := l.finish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// rotateIn rotates the key of a folder.
func rotateIn(t *testing.T, dir string, compromised bool) Rotation {
	t.Helper()
	r, err := Rotate(t.Context(), Config{Dir: dir}, compromised)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantWhole verifies a trail, which must be whole and have so many records.
func wantWhole(t *testing.T, what string, l *Log, records uint64, trusted ...ed25519.PublicKey) {
	t.Helper()
	r, err := l.Verify(t.Context(), trusted...)
	if err != nil || r.Err() != nil || r.Records() != records {
		t.Errorf("%s: %d records, %v, %v, want %d and a whole trail", what, r.Records(), err, r.Err(), records)
	}
}

// wantUntrusted verifies a trail of which some chains must not be trusted.
func wantUntrusted(t *testing.T, what string, l *Log, chains int, trusted ...ed25519.PublicKey) {
	t.Helper()
	r, err := l.Verify(t.Context(), trusted...)
	bad := 0
	for i := range r.Chains {
		if b := r.Chains[i].Broken; b != nil && strings.Contains(b.Reason, "not trusted") {
			bad++
		}
	}
	if err != nil || bad != chains {
		t.Errorf("%s: %d chains are not trusted, want %d: %v, %v", what, bad, chains, err, r.Err())
	}
}

// copyKeys copies the files of a key to another folder, as people do it.
func copyKeys(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{rotationsFile, keyfile.PrivateName, keyfile.PublicName} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) && name == rotationsFile {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A process that runs goes on with the new key, chains at rest are signed with it at once, and
// either key is enough to verify all.
func TestRotate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	running, rested := New(Config{Dir: dir}), New(Config{Dir: dir})
	commitTo(t, running, 2)
	commitTo(t, rested, 3)
	if err := rested.Close(); err != nil {
		t.Fatal(err)
	}
	r := rotateIn(t, dir, false)
	if len(r.Signed) != 1 || len(r.Busy) != 1 || r.Signed[0] == r.Busy[0] || r.Old.Equal(r.New) {
		t.Errorf("signed %q, busy %q", r.Signed, r.Busy)
	}
	wantWhole(t, "before the process has signed", running, 5)
	commitTo(t, running, 1)
	other, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, closed := range []bool{false, true} {
		l := running
		if closed {
			if err := running.Close(); err != nil {
				t.Fatal(err)
			}
			l = New(Config{Dir: dir})
			commitTo(t, l, 1)
		}
		n := uint64(6)
		if closed {
			n = 7
		}
		wantWhole(t, "with the folder's keys", l, n)
		wantWhole(t, "with the old key", l, n, r.Old)
		wantWhole(t, "with the new key", l, n, r.New)
		wantUntrusted(t, "with another key", l, 2, other)
	}
	chains, err := New(Config{Dir: dir}).Chains(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chains {
		if l, err := parseLine(c.Head); err != nil || !l.isHeadOf(r.New, c.ID) {
			t.Errorf("chain %s does not end with a head of the new key: %v", c.ID, err)
		}
	}
}

// Keys may be rotated again and again, and the first one still leads to all.
func TestRotateOften(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := New(Config{Dir: dir})
	commitTo(t, l, 1)
	first, err := keyfile.Public(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		rotateIn(t, dir, false)
		commitTo(t, l, 1)
	}
	wantWhole(t, "with the first key", l, 4, first)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = New(Config{Dir: dir, MaxFile: 600, KeepFiles: 3})
	commitTo(t, l, 20) // which deletes the first files
	report, err := l.Verify(t.Context())
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err != nil || report.Err() != nil || report.Chains[0].Retired < 4 {
		t.Errorf("after the rotations were deleted by policy: %+v, %v, %v", report, err, report.Err())
	}
}

// What only a compromised key has signed is not trusted.
func TestRotateCompromised(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	running, rested := New(Config{Dir: dir}), New(Config{Dir: dir})
	commitTo(t, running, 2)
	commitTo(t, rested, 1)
	if err := rested.Close(); err != nil {
		t.Fatal(err)
	}
	stolen := t.TempDir()
	copyKeys(t, dir, stolen)
	rotateIn(t, dir, true)
	wantWhole(t, "before the process has signed", New(Config{Dir: dir}), 3)
	commitTo(t, running, 1)
	wantWhole(t, "then", running, 4)
	forged := New(Config{Dir: stolen})
	commitTo(t, forged, 1)
	if err := forged.Close(); err != nil {
		t.Fatal(err)
	}
	chains, err := New(Config{Dir: stolen}).Chains(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(stolen, chains[0].ID), filepath.Join(dir, chains[0].ID)); err != nil {
		t.Fatal(err)
	}
	wantUntrusted(t, "with a chain of the thief", running, 1)
	if err := running.Close(); err != nil {
		t.Fatal(err)
	}
}

// A rotation that was cut off leaves the old key or the new one, and can be repeated.
func TestRotateWasCutOff(t *testing.T) {
	for _, written := range [][]string{{rotationsFile}, {rotationsFile, keyfile.PrivateName}} {
		t.Run(strings.Join(written, " "), func(t *testing.T) {
			dir, done := filepath.Join(t.TempDir(), "audit"), filepath.Join(t.TempDir(), "audit")
			l := New(Config{Dir: dir})
			commitTo(t, l, 1)
			copyKeys(t, dir, done)
			rotateIn(t, done, false)
			for _, name := range written {
				if err := os.Rename(filepath.Join(done, name), filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			commitTo(t, l, 1)
			wantWhole(t, "cut off", l, 2)
			rotateIn(t, dir, false)
			commitTo(t, l, 1)
			wantWhole(t, "repeated", l, 3)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			public, err := ReadPublicKey(filepath.Join(dir, keyfile.PublicName))
			s, keyErr := loadSigner(dir)
			if err != nil || keyErr != nil || !public.Equal(s.public()) {
				t.Errorf("the public key is another: %v, %v", err, keyErr)
			}
		})
	}
}

// A key that was replaced by hand is not followed: the process signs as before.
func TestKeyReplacedByHand(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "audit"), filepath.Join(t.TempDir(), "other")
	l := New(Config{Dir: dir})
	commitTo(t, l, 1)
	before, err := keyfile.Public(dir)
	if err != nil {
		t.Fatal(err)
	}
	second := New(Config{Dir: other})
	commitTo(t, second, 1)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(other, keyfile.PrivateName), filepath.Join(dir, keyfile.PrivateName)); err != nil {
		t.Fatal(err)
	}
	commitTo(t, l, 1)
	wantWhole(t, "with the key before", l, 2, before)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// The signature of a rotation is checked, and a rotation of another key changes nothing.
func TestForgedRotation(t *testing.T) {
	_, old, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	good := newRotation(old, public, false, now)
	changed := good
	changed.Compromised = true
	foreign := newRotation(key, old.Public().(ed25519.PublicKey), false, now)
	for name, tt := range map[string]struct {
		notes []rotationNote
		by    ed25519.PrivateKey // the key of the head
		whole bool
	}{
		"good":              {[]rotationNote{good}, key, true},
		"twice":             {[]rotationNote{good, good}, key, true},
		"beside another":    {[]rotationNote{foreign, good}, key, true},
		"none":              {nil, key, false},
		"changed":           {[]rotationNote{changed}, key, false},
		"of another key":    {[]rotationNote{foreign}, key, false},
		"the old key after": {[]rotationNote{good}, old, false},
	} {
		c := &chain{id: "0123456789abcdef", signer: &signer{key: old}}
		data := c.addHead(c.add(nil, note{File: c.header(1, now)}.body()), now)
		c.pending = tt.notes
		data = c.addRotations(data)
		c.signer = &signer{key: tt.by}
		v := &verifier{report: ChainReport{Chain: c.id}, trusted: []ed25519.PublicKey{old.Public().(ed25519.PublicKey)}}
		lines := slices.Collect(linesOf(c.addHead(data, now)))
		v.head = string(lines[len(lines)-1])
		for n, text := range lines {
			v.line(place{line: n + 1, text: text})
		}
		if v.end(); (v.report.Broken == nil) != tt.whole {
			t.Errorf("%s: %v", name, v.report.Broken)
		}
	}
}

// A clustered trail is that of servers of one store that have folders of their own.
type clustered struct {
	t      *testing.T
	client redis.UniversalClient
	root   string
}

// server returns the folder and the log of a server.
func (c *clustered) server(name string) (dir string, l *Log) {
	dir = filepath.Join(c.root, name)
	l = NewValkey(ValkeyConfig{Client: c.client, KeyDir: dir, Name: name})
	c.t.Cleanup(func() { _ = l.Close() })
	return dir, l
}

// Each server of a store goes on with its chain when it gets the new key. One that does not have
// it yet trusts the others all the same.
func TestRotateWithSeveralServers(t *testing.T) {
	c := &clustered{t, valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr), t.TempDir()}
	oneDir, one := c.server("one")
	commitTo(t, one, 2)
	twoDir, two := c.server("two")
	copyKeys(t, oneDir, twoDir)
	commitTo(t, two, 2)

	r := rotateIn(t, oneDir, false)
	commitTo(t, one, 1)
	commitTo(t, two, 1)
	threeDir, three := c.server("three")
	copyKeys(t, oneDir, threeDir)
	commitTo(t, three, 1)
	for name, l := range map[string]*Log{"one": one, "two, with the old key": two, "three": three} {
		wantWhole(t, name, l, 7)
	}
	wantWhole(t, "with the old key alone", one, 7, r.Old)

	copyKeys(t, oneDir, twoDir)
	commitTo(t, two, 1)
	wantWhole(t, "with the new key alone", two, 8, r.New)

	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	_, again := c.server("one")
	commitTo(t, again, 1)
	report, err := again.Verify(t.Context())
	if err != nil || report.Err() != nil || len(report.Chains) != 3 || report.Records() != 9 {
		t.Errorf("after a restart: %+v, %v, %v, want 9 records in the same 3 chains", report, err, report.Err())
	}
}

// A store that loses the rotation gets it again.
func TestRotationIsLost(t *testing.T) {
	for name, restarts := range map[string]bool{"while the server runs": false, "before it starts again": true} {
		t.Run(name, func(t *testing.T) {
			s := newLossy(t)
			l := s.open("one")
			s.add(l, 2)
			before := s.client.XLen(t.Context(), s.stream()).Val()
			rotateIn(t, s.keys, false)
			s.add(l, 2)
			if restarts {
				s.close(l)
			} else {
				forgetLines(l)
			}
			s.lose(s.client.XLen(t.Context(), s.stream()).Val() - before)
			if restarts {
				l = s.open("one")
			}
			s.add(l, 1)
			s.close(l)
			if r := s.verified(); len(r.Chains) != 1 || r.Chains[0].Lost != 2 || r.Records() != 3 {
				t.Errorf("%+v, want 3 records and 2 lost", r)
			}
		})
	}
}
