package jsonrpc

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A slowReader is a stream whose other side reads nothing until it is told to.
type slowReader struct {
	read chan struct{} // closed from when on it reads
	got  bytes.Buffer
	torn int // writes that did not end with a line
}

func (s *slowReader) Write(p []byte) (int, error) {
	<-s.read
	if !bytes.HasSuffix(p, []byte{'\n'}) {
		s.torn++
	}
	return s.got.Write(p)
}

// TestWhatWaitsIsNotCopied: messages come out in the order in which they went
// in, and big ones wait in the memory that they came in.
func TestWhatWaitsIsNotCopied(t *testing.T) {
	stream := &slowReader{read: make(chan struct{})}
	var o outbox
	o.init(stream, 1<<20, make(chan error, 1))
	o.barrier = func() *withholder { return nil }
	var want strings.Builder
	put := func(letter string, size int, flush bool) {
		message := append(make([]byte, 0, size+1), strings.Repeat(letter, size)...)
		want.WriteString(string(message) + "\n")
		if err := o.put(message, flush); err != nil {
			t.Error(err)
		}
	}
	var writer sync.WaitGroup
	put("a", 10, false)
	writer.Go(o.flush)
	for !o.busy() { // until the first write hangs
		runtime.Gosched()
	}
	put("b", 110_000, false)
	put("c", 10, false)
	put("d", 10, true) // finds another goroutine writing
	put("e", 200_000, false)
	put("f", keepBuffer, false)
	for range 70 {
		put("g", 1000, false)
	}
	put("h", 5, false)
	if got, most := o.held(), 450_000+2*keepBuffer; got > most {
		t.Errorf("%d bytes that wait take %d bytes of memory, want at most %d", want.Len(), got, most)
	}
	close(stream.read)
	writer.Wait()
	if stream.got.String() != want.String() {
		t.Error("what came out is not what went in")
	}
	if stream.torn > 0 {
		t.Errorf("%d writes ended within a line", stream.torn)
	}
}

func (o *outbox) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.writing
}

// held returns the memory that waiting messages take.
func (o *outbox) held() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range o.waiting {
		n += cap(l)
	}
	return n
}

// TestWrittenMemoryIsUsedAgain: after some rounds a row of big answers is not
// allocated; what is too big to be kept is not.
func TestWrittenMemoryIsUsedAgain(t *testing.T) {
	stream := &slowReader{read: make(chan struct{})}
	close(stream.read)
	var o outbox
	o.init(stream, 1<<20, make(chan error, 1))
	o.barrier = func() *withholder { return nil }
	text := make([]byte, keepUsed+1)
	var scratch []byte
	give := func(size int) {
		scratch = append(scratch[:0], text[:size]...)
		scratch, _ = o.putOwned(scratch, false)
	}
	round := func() {
		stream.got.Reset()
		for range 8 {
			give(110_000)
		}
		o.flush()
	}
	round()
	round()
	if n := testing.AllocsPerRun(20, round); n >= 8 {
		t.Errorf("a round of 8 big answers allocates %v times, want less than once each", n)
	}
	give(len(text))
	o.flush()
	if o.kept > o.limit {
		t.Errorf("%d bytes are kept, want at most %d", o.kept, o.limit)
	}
}
