package debugcmd

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
)

// A lineReader reads the lines of a shell.
type lineReader interface {
	readLine() (string, error) // without the end of the line
	// restore puts the terminal back; readLine does it itself when it returns.
	restore()
	// interrupted reports whether Ctrl-C has cleared the line that is being read, so that the
	// signal of a further one is not for the shell.
	interrupted() bool
}

// newLineReader edits lines on a terminal, with completion and a history, and reads
// them from anything else.
func newLineReader(with *cmdio.IO, keys *keyboard, complete func(line string) []string) lineReader {
	if keys == nil {
		return &plainLines{bufio.NewReader(with.In)}
	}
	t := &terminalLines{fd: int(with.In.Fd()), cooked: keys.cooked}
	t.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&clearing{in: keys}, with.Out}, "(triptych) ")
	t.term.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		added := completion(line[:pos], complete(line[:pos]))
		return line[:pos] + added + line[pos:], pos + len(added), true
	}
	return t
}

// completion returns what all candidates have in common beyond the last word of a
// line.
func completion(line string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	common := candidates[0]
	for _, each := range candidates[1:] {
		for !strings.HasPrefix(each, common) {
			common = common[:len(common)-1]
		}
	}
	return strings.TrimPrefix(common, line[strings.LastIndex(line, " ")+1:])
}

// plainLines reads lines from a file or pipe.
type plainLines struct{ in *bufio.Reader }

func (p *plainLines) readLine() (string, error) {
	line, err := p.in.ReadString('\n')
	if line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

func (*plainLines) restore() {}

func (*plainLines) interrupted() bool { return false }

// terminalLines reads lines from a terminal, which is in raw mode meanwhile.
type terminalLines struct {
	term   *term.Terminal
	fd     int
	cooked *term.State // the mode in which programs run
}

func (t *terminalLines) readLine() (string, error) {
	if width, height, err := term.GetSize(t.fd); err == nil && width > 0 { // a terminal that has no size keeps the usual one
		_ = t.term.SetSize(width, height) // fails for sizes of 0 only
	}
	if _, err := term.MakeRaw(t.fd); err != nil {
		return "", err
	}
	defer t.restore()
	return t.term.ReadLine()
}

func (*terminalLines) interrupted() bool { return true }

func (t *terminalLines) restore() {
	_ = term.Restore(t.fd, t.cooked) // nothing can be done about a terminal that is gone
}

// A clearing reader makes Ctrl-C clear the line. The editor of lines takes it for the end of the
// input.
type clearing struct {
	in   io.Reader
	rest []byte // that Ctrl-C stands for
}

const ctrlC = 3

// clearLine goes to the end of the line (Ctrl-E) and deletes what is before it (Ctrl-U).
const clearLine = "\x05\x15"

// Read implements io.Reader.
func (c *clearing) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		n, err := c.in.Read(b)
		if bytes.IndexByte(b[:n], ctrlC) < 0 {
			return n, err
		}
		c.rest = bytes.ReplaceAll(b[:n], []byte{ctrlC}, []byte(clearLine))
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// A keyboard reads a terminal for both the editor of lines and the program that runs.
type keyboard struct {
	typed  chan typed
	cooked *term.State // the mode in which programs run
	rest   []byte      // of what Read has received
}

// typed is the result of a read of a terminal: at its end an error, after which there may be more.
type typed struct {
	text []byte
	err  error
}

// newKeyboard returns nil for what is no terminal. Its goroutine ends with the process.
func newKeyboard(in *os.File) *keyboard {
	cooked, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil
	}
	k := &keyboard{typed: make(chan typed), cooked: cooked}
	go func() {
		defer close(k.typed)
		for awaitInput(in) {
			b := make([]byte, 4096) // a line of a terminal is not longer
			n, err := in.Read(b)
			k.typed <- typed{b[:n], err}
			if err != nil && !errors.Is(err, io.EOF) {
				return
			}
		}
	}()
	return k
}

// Read implements io.Reader.
func (k *keyboard) Read(b []byte) (int, error) {
	if len(k.rest) == 0 {
		got, open := <-k.typed
		if got.err != nil || !open {
			return 0, io.EOF
		}
		k.rest = got.text
	}
	n := copy(b, k.rest)
	k.rest = k.rest[n:]
	return n, nil
}
