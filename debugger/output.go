package debugger

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxOutput is how many bytes of a program's output are kept, the last ones.
const maxOutput = 64 << 10

// output is what a launched program writes to standard output and error. It
// is read for as long as the program has them open, so that it is never
// blocked, even after the session.
type output struct {
	read, write *os.File
	done        chan struct{} // closed when nobody can write any more

	mu   sync.Mutex
	kept []byte
	lost int64 // bytes before those that are kept and were not asked for
}

func newOutput() (*output, error) {
	read, write, err := os.Pipe()
	return &output{read: read, write: write, done: make(chan struct{})}, err
}

// files are the program's first descriptors.
func (o *output) files() []*os.File { return []*os.File{nil, o.write, o.write} }

// begin reads from now on. The goroutine ends when nobody can write any more:
// with the program and the children that have inherited its output.
func (o *output) begin() {
	_ = o.write.Close()
	go func() {
		defer close(o.done)
		defer func() { _ = o.read.Close() }()
		buf := make([]byte, 8<<10)
		for {
			n, err := o.read.Read(buf)
			o.keep(buf[:n])
			if err != nil {
				return
			}
		}
	}()
}

func (o *output) keep(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, b...)
	if over := len(o.kept) - maxOutput; over > 0 {
		o.lost += int64(over)
		o.kept = append(o.kept[:0], o.kept[over:]...)
	}
}

// lastWords is how long the output of a program that has ended may take; it
// takes longer only when other programs have inherited it.
const lastWords = time.Second

// await waits until the program's output has come to its end.
func (o *output) await() {
	select {
	case <-o.done:
	case <-time.After(lastWords):
	}
}

// text returns what was written since it was called last.
func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.ToValidUTF8(string(o.kept), "\uFFFD")
	if o.lost > 0 {
		text = fmt.Sprintf("(%d bytes left out)\n%s", o.lost, text)
	}
	o.kept, o.lost = nil, 0
	return text
}

// abandon keeps nothing any more.
func (o *output) abandon() { _ = o.text() }

// environment is the server's with variables added or replaced.
func environment(added map[string]string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := added[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(added)) {
		env = append(env, name+"="+added[name])
	}
	return env
}
