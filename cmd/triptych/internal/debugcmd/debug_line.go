package debugcmd

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"golang.org/x/term"
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
func newLineReader(a commands, complete func(line string) []string) lineReader {
	fd := int(a.In.Fd())
	cooked, err := term.GetState(fd)
	if err != nil {
		return &plainLines{bufio.NewReader(a.In)}
	}
	t := &terminalLines{fd: fd, cooked: cooked}
	t.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&clearing{in: a.In}, a.Out}, "(triptych) ")
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
	if width, height, err := term.GetSize(t.fd); err == nil {
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
