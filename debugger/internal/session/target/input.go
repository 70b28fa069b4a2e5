package target

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// An Input writes to the standard input of a launched program: a pipe or a
// terminal. Its methods may be called concurrently.
type Input struct {
	mu     sync.Mutex
	write  *os.File
	child  *os.File // the program's end, until it was started
	closed bool
	// isTerminal means that write is also read, as the output, and stays open
	// until the program has closed its end.
	isTerminal bool
	// midLine means that the last text did not end its line.
	midLine bool
}

// endOfFile is the character that ends the input of a terminal, Ctrl-D, if it is
// the first one of a line. Elsewhere it ends the line.
const endOfFile = "\x04"

// lineEnds are the characters that end a line of a terminal.
const lineEnds = "\n\r" + endOfFile

// sendTime bounds the wait for a program that does not read its input.
const sendTime = 2 * time.Second

// newInput returns the input of a program that reads a pipe.
func newInput() (*Input, error) {
	read, write, err := os.Pipe()
	return &Input{write: write, child: read}, err
}

// newTerminal returns the input and output of a program that has a terminal.
// The terminal neither echoes nor changes ends of lines.
func newTerminal() (*Input, *Output, error) {
	master, slave, err := openTerminal()
	if err != nil {
		return nil, nil, err
	}
	return &Input{write: master, isTerminal: true}, newOutput(master, slave), nil
}

// started releases the program's end of a pipe, which the program has by now.
func (i *Input) started() {
	if i != nil && i.child != nil {
		_ = i.child.Close()
	}
}

// Send writes text, and then ends the input if eof is set. It fails if the
// program does not read it within a time.
func (i *Input) Send(text string, eof bool) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return failure.Errorf("No input", "the input of the program has ended already")
	}
	if eof && i.isTerminal {
		if i.midLineAfter(text) {
			text += endOfFile
		}
		text += endOfFile
	}
	_ = i.write.SetWriteDeadline(time.Now().Add(sendTime)) // pipes and terminals have deadlines
	n, err := i.write.WriteString(text)
	i.midLine = i.midLineAfter(text[:n])
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failure.Errorf("Input not read", "the program has taken %d of %d bytes and reads no more for now", n, len(text))
	case err != nil:
		return failure.Errorf("No input", "the program does not read its input any more: %v", errors.Unwrap(err))
	case eof && !i.isTerminal:
		return i.closeLocked()
	}
	return nil
}

// midLineAfter reports whether text leaves a line without its end.
func (i *Input) midLineAfter(text string) bool {
	if text == "" {
		return i.midLine
	}
	return !strings.ContainsRune(lineEnds, rune(text[len(text)-1]))
}

// Close ends the input of a pipe. A terminal stays open for the output.
func (i *Input) Close() error {
	if i == nil {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.closeLocked()
}

func (i *Input) closeLocked() error {
	if i.closed {
		return nil
	}
	i.closed = true
	if i.isTerminal {
		return nil
	}
	if err := i.write.Close(); err != nil {
		return fmt.Errorf("close the input of the program: %w", err)
	}
	return nil
}
