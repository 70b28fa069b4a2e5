package target

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// maxOutput is the size of the buffer for a program's output; it has the
// latest bytes.
const maxOutput = 64 << 10

// Output buffers the standard output and error of a launched program. It reads
// until the program closes them, so that the program never blocks, even after
// the session.
type Output struct {
	read, write *os.File
	done        chan struct{} // closed at the end of the output

	mu       sync.Mutex
	buffered []byte
	lost     int64 // bytes that were dropped before they were taken
}

func NewOutput() (*Output, error) {
	read, write, err := os.Pipe()
	return &Output{read: read, write: write, done: make(chan struct{})}, err
}

// Files returns the program's first file descriptors.
func (o *Output) Files() []*os.File { return []*os.File{nil, o.write, o.write} }

// Start starts reading. The goroutine ends when the last process that has the
// output open ends or closes it.
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

// finalOutputTime bounds the wait for the output of a program that has exited.
// It takes that long only if other programs have inherited the output.
const finalOutputTime = time.Second

// Wait waits for the end of the program's output.
func (o *Output) Wait() {
	select {
	case <-o.done:
	case <-time.After(finalOutputTime):
	}
}

// Take returns what was written since the last call.
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

// Discard drops what is buffered.
func (o *Output) Discard() { _ = o.Take() }
