package target

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// maxOutput is how many bytes of a program's output are kept, the last ones.
const maxOutput = 64 << 10

// Output is what a launched program writes to standard output and error. It
// is read for as long as the program has them open, so that it is never
// blocked, even after the session.
type Output struct {
	read, write *os.File
	done        chan struct{} // closed when nobody can write any more

	mu       sync.Mutex
	buffered []byte
	lost     int64 // bytes before those that are kept and were not asked for
}

func NewOutput() (*Output, error) {
	read, write, err := os.Pipe()
	return &Output{read: read, write: write, done: make(chan struct{})}, err
}

// Files are the program's first descriptors.
func (o *Output) Files() []*os.File { return []*os.File{nil, o.write, o.write} }

// Start reads from now on. The goroutine ends when nobody can write any more:
// with the program and the children that have inherited its output.
func (o *Output) Start() {
	_ = o.write.Close()
	go func() {
		defer close(o.done)
		defer func() { _ = o.read.Close() }()
		buf := make([]byte, 8<<10)
		for {
			n, err := o.read.Read(buf)
			o.append(buf[:n])
			if err != nil {
				return
			}
		}
	}()
}

func (o *Output) append(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buffered = append(o.buffered, b...)
	if over := len(o.buffered) - maxOutput; over > 0 {
		o.lost += int64(over)
		o.buffered = append(o.buffered[:0], o.buffered[over:]...)
	}
}

// finalOutputTime is how long the output of a program that has ended may take; it
// takes longer only when other programs have inherited it.
const finalOutputTime = time.Second

// Wait waits until the program's output has come to its end.
func (o *Output) Wait() {
	select {
	case <-o.done:
	case <-time.After(finalOutputTime):
	}
}

// Take returns what was written since it was called last.
func (o *Output) Take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.ToValidUTF8(string(o.buffered), "\uFFFD")
	if o.lost > 0 {
		text = fmt.Sprintf("(%d bytes left out)\n%s", o.lost, text)
	}
	o.buffered, o.lost = nil, 0
	return text
}

// Discard keeps nothing any more.
func (o *Output) Discard() { _ = o.Take() }
