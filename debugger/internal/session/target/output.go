package target

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/debugger/internal/session/redact"
)

// Limits of a program's output: the latest bytes that are kept, and how many
// of them Take returns.
const (
	maxKept  = 1 << 20
	maxTaken = 64 << 10
)

// Output buffers the standard output and error of a launched program. It reads
// until the program closes them, so that the program never blocks, even after
// the session. Its methods may be called concurrently.
type Output struct {
	read, write *os.File
	done        chan struct{} // closed at the end of the output

	reading sync.Mutex // held from a read until append has its result
	buf     [8 << 10]byte

	mu      sync.Mutex
	kept    []byte
	end     int64 // bytes that were written in all; kept are the last ones
	taken   int64 // bytes that Take has returned or dropped
	more    chan struct{}
	changed func() // called after a write, without mu; may be nil
	masked  bool   // secrets are masked in what is returned
}

// NewOutput returns the output of a program that has a pipe as its standard
// output and error.
func NewOutput() (*Output, error) {
	read, write, err := os.Pipe()
	return newOutput(read, write), err
}

// Files returns the first descriptors of a program without an input.
func (o *Output) Files() []*os.File { return []*os.File{nil, o.write, o.write} }

func newOutput(read, write *os.File) *Output {
	return &Output{read: read, write: write, done: make(chan struct{}), more: make(chan struct{})}
}

// Start starts reading. The goroutine ends when the last process that has the
// output open ends or closes it.
func (o *Output) Start() {
	_ = o.write.Close()
	go func() {
		defer close(o.done)
		defer func() { _ = o.read.Close() }()
		for o.readSome() == nil { // of a terminal, EIO is its end
		}
	}()
}

// OnChange sets a function that is called after each write of the program.
func (o *Output) OnChange(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.changed = f
}

func (o *Output) append(b []byte) {
	if changed := o.store(b); changed != nil {
		changed()
	}
}

// store is append without a call of the function that is to be called.
func (o *Output) store(b []byte) (changed func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, b...)
	o.end += int64(len(b))
	if over := len(o.kept) - maxKept; over > 0 {
		over += runeRest(o.kept[over:])
		o.kept = append(o.kept[:0], o.kept[over:]...)
	}
	close(o.more)
	o.more = make(chan struct{})
	return o.changed
}

// finalOutputTime bounds the wait for the output of a program that has exited.
// It takes that long only if other programs have inherited the output.
const finalOutputTime = time.Second

// Drain reads what the program has written so far. A program that is stopped has
// written it all, but the goroutine that reads may not have got to it.
func (o *Output) Drain() {
	for o.readReady() {
	}
}

// Wait waits for the end of the program's output.
func (o *Output) Wait() {
	select {
	case <-o.done:
	case <-time.After(finalOutputTime):
	}
}

// AwaitNew waits until Take has something to return, the output has ended, stopped
// is closed, or ctx is done.
func (o *Output) AwaitNew(ctx context.Context, stopped <-chan struct{}) {
	for {
		o.mu.Lock()
		fresh := o.sinceLocked(o.taken, maxTaken)
		ready, more := len(fresh) > partialRune(fresh), o.more
		o.mu.Unlock()
		if ready {
			return
		}
		select {
		case <-more:
		case <-o.done:
			return
		case <-stopped:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Take returns what was written since the last call, the last bytes of it if it
// is long.
func (o *Output) Take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	from := o.wholeFromLocked(o.taken)
	if over := o.end - maxTaken; over > from {
		from = over + int64(runeRest(o.kept[len(o.kept)-maxTaken:]))
	}
	b := o.wholeLocked(o.sinceLocked(from, maxTaken))
	text := valid(b)
	if lost := from - o.taken; lost > 0 {
		text = fmt.Sprintf("(%d bytes left out)\n%s", lost, text)
	}
	o.taken = from + int64(len(b))
	return text
}

// Since returns up to most bytes of the output from an offset on, or from the
// oldest one that is kept, and the offset of the text and its end. Both are at
// the beginnings of runes: the text begins before from if that is inside of one.
func (o *Output) Since(from int64, most int) (text string, start, next int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	start = o.wholeFromLocked(from)
	most = max(most, utf8.UTFMax)
	b := o.sinceLocked(start, most)
	if len(b) == most {
		b = b[:most-partialRune(b)]
	} else {
		b = o.wholeLocked(b)
	}
	return valid(b), start, start + int64(len(b))
}

// Tail returns the last bytes of the output, at most so many.
func (o *Output) Tail(most int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.sinceLocked(o.end-int64(most), most)
	if len(b) == most {
		b = b[runeRest(b):]
	}
	return valid(o.wholeLocked(b))
}

// wholeFromLocked returns the offset nearest to from that is kept, or that of the
// rune around it. mu is held.
func (o *Output) wholeFromLocked(from int64) int64 {
	oldest := o.end - int64(len(o.kept))
	from = min(max(from, oldest), o.end)
	return from - int64(runeBefore(o.kept, int(from-oldest)))
}

// wholeLocked returns the end b of the output without the beginning of a rune at
// its end: the program writes the rest next. If there is nothing else in b, or
// the output has ended, the bytes are no UTF-8, and it returns b. mu is held.
func (o *Output) wholeLocked(b []byte) []byte {
	n := partialRune(b)
	if n == len(b) || o.ended() {
		return b
	}
	return b[:len(b)-n]
}

// ended reports whether the program has closed its output.
func (o *Output) ended() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// Taken returns the offset from which Take returns the output.
func (o *Output) Taken() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.taken
}

// SetTaken lets Take return the output from an offset on, unless it is later
// already.
func (o *Output) SetTaken(offset int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken = max(o.taken, min(offset, o.end))
}

// MaskSecrets has what looks like a secret overwritten in what is returned. A word at the
// end, of which the program may write the rest next, is returned when it has.
func (o *Output) MaskSecrets() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.masked = true
}

// sinceLocked returns the output from an offset on that is kept and may be shown, at most
// so many bytes. mu is held.
func (o *Output) sinceLocked(from int64, most int) []byte {
	oldest := o.end - int64(len(o.kept))
	at := int(min(max(from, oldest), o.end) - oldest)
	to := min(at+most, len(o.kept))
	if !o.masked {
		return o.kept[at:to]
	}
	return redact.Output(o.kept, at, to, oldest > 0, !o.ended())
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// Discard drops what is buffered.
func (o *Output) Discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken = o.end
}
