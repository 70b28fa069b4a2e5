package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"iter"
	"testing"
	"time"
)

// A memChain is a chain in memory.
type memChain struct {
	text      []byte
	published []byte
}

func (c *memChain) id() string                           { return "00000000000000ff" }
func (c *memChain) flush() error                         { return nil }
func (c *memChain) head(context.Context) ([]byte, error) { return c.published, nil }

func (c *memChain) linesFrom(ctx context.Context, _ string, line int) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		for at, err := range c.lines(ctx) {
			if at.line >= line && !yield(at, err) {
				return
			}
		}
	}
}

func (c *memChain) matching(ctx context.Context, _ *Filter) iter.Seq2[place, error] {
	return c.lines(ctx)
}

func (c *memChain) lines(context.Context) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		n := 0
		for text := range bytes.Lines(c.text) {
			n++
			text, whole := bytes.CutSuffix(text, []byte{'\n'})
			if !yield(place{file: "f", line: n, text: text, open: !whole}, nil) {
				return
			}
		}
	}
}

// fixed makes a chain of five records in two groups that is always the same.
func fixed() (*memChain, ed25519.PublicKey) {
	at := time.Date(2024, 12, 5, 12, 0, 0, 0, time.UTC)
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	m := &memChain{}
	c := &chain{id: m.id(), signer: &signer{key: key}}
	g := &group{data: c.add(nil, note{File: c.header(1, at)}.body())}
	for i := range 5 {
		r := Record{Time: at, Key: "k", Method: "tools/call", Target: "t", Outcome: OK}
		c.seq++
		g.data = c.add(g.data, append([]byte{'"', 's', 'e', 'q', '"', ':', byte('1' + i)}, r.body(nil)...))
		if i%2 == 0 {
			g.sign(c, at)
		}
	}
	m.text, m.published = g.data, g.head
	return m, key.Public().(ed25519.PublicKey)
}

// FuzzVerify changes a chain in any way. Nothing panics, and only what still
// has all its records, at most with something behind them, counts as whole.
func FuzzVerify(f *testing.F) {
	original, key := fixed()
	text := original.text
	f.Add(text)
	f.Add(append(bytes.Clone(text), "torn"...))
	f.Add(text[:len(text)/2])
	f.Add(append(bytes.Clone(text), text...))
	f.Add(bytes.Replace(text, []byte(`"seq":2`), []byte(`"seq":02`), 1))
	f.Fuzz(func(t *testing.T, changed []byte) {
		c := &memChain{text: changed, published: original.published}
		report, err := verifyChain(t.Context(), c, nil, trust{keys: []ed25519.PublicKey{key}})
		if err != nil {
			t.Fatal(err)
		}
		rest, unchanged := bytes.CutPrefix(changed, text)
		switch {
		case report.Broken == nil && (!unchanged || report.Records != 5):
			t.Errorf("a changed chain with %d records counts as whole", report.Records)
		case report.Broken != nil && unchanged && !bytes.Contains(rest, []byte("seal")): // which would be no crash
			t.Errorf("what follows the chain breaks it: %v", report.Broken)
		}
		for r, err := range records(t.Context(), c, &Filter{}) {
			if err == nil && r.Seq == 0 {
				t.Errorf("record %+v has no number", r)
			}
		}
	})
}
