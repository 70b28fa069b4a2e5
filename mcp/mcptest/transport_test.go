package mcptest

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// discarded is an input that is not read.
type discarded struct{ io.Writer }

func (discarded) Close() error { return nil }

func TestSilentServerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, says := io.Pipe()
		p := OpenPipe(discarded{io.Discard}, out, time.Minute, func() { _ = says.Close() })
		began := time.Now()
		if _, err := p.Receive(); text(err) != "no answer within 1m0s" {
			t.Errorf("got error %v", err)
		}
		if err := p.Close(); text(err) != "it did not end within 1m0s" {
			t.Errorf("got error %v", err)
		}
		if took := time.Since(began); took != 2*time.Minute {
			t.Errorf("it took %v, want 1m for each", took)
		}
	})
}

func TestOverlongLineIsNoEnd(t *testing.T) {
	out := strings.NewReader(strings.Repeat("x", maxLine+1))
	p := OpenPipe(discarded{io.Discard}, out, time.Minute, func() {})
	if got, err := p.Receive(); !errors.Is(err, bufio.ErrTooLong) {
		t.Errorf("heard %d bytes, %v; want %v", len(got), err, bufio.ErrTooLong)
	}
}
