package debugcmd

import (
	"bufio"
	"io"
	"strings"

	"golang.org/x/term"
)

// A lineReader reads the lines of a shell.
type lineReader interface {
	readLine() (string, error) // without the end of the line
	// restore puts the terminal back; readLine does it itself when it returns.
	restore()
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
	}{a.In, a.Out}, "(triptych) ")
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

func (t *terminalLines) restore() {
	_ = term.Restore(t.fd, t.cooked) // nothing can be done about a terminal that is gone
}
