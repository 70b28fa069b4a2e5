package markdown

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// The bounds of a text, of the HTML that comes of it, and of its worker.
const (
	MaxText    = 256 << 10 // bytes
	maxCells   = 10_000    // of tables, those included that rows are filled up with
	maxDepth   = 100       // of block quotes and lists
	maxHTML    = 4 << 20   // bytes
	maxTime    = 5 * time.Second
	maxCPU     = 1         // seconds
	maxMemory  = 192 << 20 // bytes
	maxWorkers = 2
)

// A TooLargeError reports that a text is not rendered, since it is too large or takes too much.
type TooLargeError struct{ Reason string }

// Error returns the reason.
func (e *TooLargeError) Error() string { return e.Reason }

// tooLarge returns a [*TooLargeError].
func tooLarge(format string, args ...any) error { return &TooLargeError{fmt.Sprintf(format, args...)} }

// Check returns a [*TooLargeError] for a text whose size, tables or nesting are beyond the
// bounds. It takes time in proportion to the text.
func Check(text string) error {
	if len(text) > MaxText {
		return tooLarge("it has more than %d KiB", MaxText>>10)
	}
	columns, cells := 0, 0
	for line := range strings.Lines(text) {
		content, depth := withoutMarkers(line)
		switch {
		case depth > maxDepth:
			return tooLarge("its quotes and lists are nested more than %d deep", maxDepth)
		case content == "":
			columns = 0 // the table has ended
		case isDelimiters(content):
			columns = max(columns, strings.Count(content, "|")+1)
		}
		if cells += columns; cells > maxCells {
			return tooLarge("its tables have more than %d cells", maxCells)
		}
	}
	return nil
}

// withoutMarkers returns a line without the marks of quotes and lists before it, and how many
// there are.
func withoutMarkers(line string) (content string, depth int) {
	for {
		line = strings.TrimLeft(line, " \t\r\n")
		rest, ok := strings.CutPrefix(line, ">")
		if number := strings.TrimLeft(line, "0123456789"); !ok && number != line && number != "" && strings.ContainsRune(".)", rune(number[0])) {
			line = "-" + number[1:]
		}
		if !ok && len(line) > 1 && strings.ContainsRune("-*+", rune(line[0])) && (line[1] == ' ' || line[1] == '\t') {
			rest, ok = line[2:], true
		}
		if !ok {
			return strings.TrimRight(line, " \t\r\n"), depth
		}
		line, depth = rest, depth+1
	}
}

// isDelimiters reports whether a line may be the one below the head of a table.
func isDelimiters(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, "|:- \t") == ""
}

// A Renderer renders texts in workers. Make one with [New].
type Renderer struct {
	command []string
	slots   chan struct{}
}

// New returns a renderer whose workers run a command.
func New(command []string) *Renderer {
	return &Renderer{command: command, slots: make(chan struct{}, maxWorkers)}
}

// Render returns a text as HTML, without raw HTML and dangerous links. It returns a
// [*TooLargeError] for a text beyond the bounds, and another error when ctx is done.
func (r *Renderer) Render(ctx context.Context, text string) (string, error) {
	if err := Check(text); err != nil {
		return "", err
	}
	worker, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-worker.Done():
		return "", ended(ctx)
	}
	cmd := exec.CommandContext(worker, r.command[0], r.command[1:]...)
	cmd.Env = []string{"GOMAXPROCS=1", "GOMEMLIMIT=128MiB"} // nothing of ours, such as keys
	cmd.Stdin = strings.NewReader(text)
	out := &bounded{stop: stop}
	cmd.Stdout = out
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return "", ended(ctx)
	}
	return out.String(), nil
}

// ended returns the error for a worker that has ended before its time.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return tooLarge("rendering it takes too much time or memory")
}

// A bounded buffer stops what fills it when it is full.
type bounded struct {
	bytes.Buffer
	stop func()
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxHTML {
		b.stop()
		return 0, io.ErrShortBuffer
	}
	return b.Buffer.Write(p)
}

// Work renders the text of in to out, within the limits of a worker: it is the whole of a
// worker's process.
func Work(in io.Reader, out io.Writer) error {
	runtime.LockOSThread() // which is the one that others go before
	if err := limitProcess(); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(in, MaxText+1))
	if err != nil {
		return err
	}
	if err := Check(string(text)); err != nil {
		return err
	}
	// GFM has tables; raw HTML and dangerous links are left out.
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(text, out)
}

// WorkerCommand is the first argument of this program when it is to be a worker.
const WorkerCommand = "__markdown"

// WorkerMain is the whole of a worker's process; it returns the exit status.
func WorkerMain() int {
	if err := Work(os.Stdin, os.Stdout); err != nil {
		return 1
	}
	return 0
}

// Self returns the command with which this program is its own worker; ok is false where it
// cannot be found.
func Self() (command []string, ok bool) {
	const running = "/proc/self/exe" // also after its file was replaced
	if _, err := os.Stat(running); err == nil {
		return []string{running, WorkerCommand}, true
	}
	self, err := os.Executable()
	return []string{self, WorkerCommand}, err == nil
}
