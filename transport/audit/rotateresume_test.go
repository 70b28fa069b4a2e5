package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// restingTrail makes a trail of so many chains at rest, of two records each.
func restingTrail(t *testing.T, chains int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "audit")
	logs := make([]*Log, chains)
	for i := range logs {
		logs[i] = New(Config{Dir: dir})
		commitTo(t, logs[i], 2)
	}
	for _, l := range logs {
		closeLog(t, l)
	}
	return dir
}

// A chain that cannot be signed is trusted up to where it ended, and is signed when a rotation is
// resumed.
func TestResumeRotation(t *testing.T) {
	dir := restingTrail(t, 2)
	id := anyChain(t, dir)
	head := filepath.Join(dir, id, headFile)
	text, err := os.ReadFile(head)
	if err != nil {
		t.Fatal(err)
	}
	k := newFiles(Config{Dir: dir})
	old, err := loadSigner(dir)
	if err != nil {
		t.Fatal(err)
	}
	heads, err := k.headsToAttest(t.Context(), old)
	if err != nil || len(heads) != 2 || len(heads[id]) != 1 {
		t.Fatalf("heads to attest %v, %v", heads, err)
	}
	if _, err := old.rotate(k.cfg, true, heads); err != nil { // and no chain is signed
		t.Fatal(err)
	}
	wantWhole(t, "cut off", New(Config{Dir: dir}), 4)
	if err := os.Remove(head); err != nil {
		t.Fatal(err)
	}
	r, err := ResumeRotation(t.Context(), Config{Dir: dir})
	if err != nil || len(r.Signed) != 1 || len(r.Unsigned) != 1 || r.Unsigned[0] != id {
		t.Errorf("%+v, %v, want that chain %s is not signed", r, err, id)
	}
	if err := os.WriteFile(head, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time nothing is left to do
		r, err = ResumeRotation(t.Context(), Config{Dir: dir})
		if err != nil || len(r.Signed) != 2 || len(r.Unsigned)+len(r.Busy)+len(r.Untrusted) > 0 {
			t.Errorf("%+v, %v, want that both are signed", r, err)
		}
	}
	wantWhole(t, "resumed", New(Config{Dir: dir}), 4, r.New)
	l := New(Config{Dir: dir})
	commitTo(t, l, 1)
	wantWhole(t, "with another record", l, 5)
	closeLog(t, l)
}

// anyChain returns the id of one of the chains of a trail.
func anyChain(t *testing.T, dir string) string {
	t.Helper()
	chains, err := New(Config{Dir: dir}).Chains(t.Context())
	if err != nil || len(chains) == 0 {
		t.Fatalf("%d chains, %v", len(chains), err)
	}
	return chains[0].ID
}

// A list of heads that another key has signed, or that was changed, attests nothing.
func TestForgedAttestation(t *testing.T) {
	dir := restingTrail(t, 1)
	id := anyChain(t, dir)
	k := newFiles(Config{Dir: dir})
	old, err := loadSigner(dir)
	if err != nil {
		t.Fatal(err)
	}
	heads, err := k.headsToAttest(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	next, err := old.rotate(k.cfg, true, heads)
	if err != nil {
		t.Fatal(err)
	}
	all, err := readRotations(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*rotation){
		"unchanged":        func(*rotation) {},
		"by the old key":   func(r *rotation) { r.attest(r.Heads, old.key) },
		"another head":     func(r *rotation) { r.Heads = attestedHeads{id: {digest{}.String()}} },
		"another chain":    func(r *rotation) { r.Heads = attestedHeads{"00": r.Heads[id]} },
		"not signed":       func(r *rotation) { r.HeadsSignature = "" },
		"of another key":   func(r *rotation) { r.New = r.Old },
		"one head more":    func(r *rotation) { r.Heads = attestedHeads{id: append(r.Heads[id], "ff")} },
		"signed elsewhere": func(r *rotation) { r.attest(attestedHeads{id: {digest{}.String()}}, next.key) },
	} {
		r := all[0]
		change(&r)
		text, err := json.Marshal([]rotation{r})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, rotationsFile), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		report, err := Verify(t.Context(), dir)
		if err != nil || (report.Err() == nil) != (name == "unchanged") {
			t.Errorf("%s: %v, %v", name, report.Err(), err)
		}
	}
}
