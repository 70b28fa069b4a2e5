package dap

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits of what a client sends.
const (
	maxMessage = 4 << 20
	maxHeaders = 16 // lines, each at most as long as the buffer of the reader
	maxDepth   = 64 // of nested objects and arrays
	headerSize = 1 << 10
)

// A requestMessage is a request of the client. Its arguments are decoded by
// the command's handler.
type requestMessage struct {
	Seq       int             `json:"seq"`
	Type      string          `json:"type"`
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments"`
	size      int64           // of the message, in bytes
}

// newReader returns a reader for readMessage.
func newReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, headerSize) }

// readMessage reads the header fields and the content of a message (base
// protocol of the specification). go-dap's reader does not limit the header.
func readMessage(r *bufio.Reader) ([]byte, error) {
	length := -1
	for range maxHeaders {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, headerError(err, len(line))
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			return readContent(r, length)
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, errors.New("a header field has no colon")
		}
		switch {
		case strings.EqualFold(name, "Content-Type"):
			continue
		case !strings.EqualFold(name, "Content-Length"): // such as those of a web page's request
			return nil, fmt.Errorf("%.40q is no header field of the protocol", name)
		}
		if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
			return nil, fmt.Errorf("Content-Length must be a number up to %d", maxMessage) // the field's name
		}
	}
	return nil, fmt.Errorf("a message has more than %d header fields", maxHeaders)
}

// headerError describes why a line of the header could not be read. The end of
// the input between two messages is io.EOF.
func headerError(err error, read int) error {
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return fmt.Errorf("a header field is longer than %d bytes", headerSize)
	case errors.Is(err, io.EOF) && read > 0:
		return io.ErrUnexpectedEOF
	}
	return err
}

func readContent(r io.Reader, length int) ([]byte, error) {
	if length < 0 {
		return nil, errors.New("a message has no Content-Length")
	}
	content := make([]byte, length)
	_, err := io.ReadFull(r, content)
	return content, err
}

// errNoRequest is returned for messages that ask for nothing.
var errNoRequest = errors.New("the message is no request")

// decodeRequest decodes a message.
func decodeRequest(content []byte) (requestMessage, error) {
	var r requestMessage
	if depth(content) > maxDepth {
		return r, fmt.Errorf("the message nests more than %d deep", maxDepth)
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return r, fmt.Errorf("the message is not valid JSON: %w", err)
	}
	if r.Type != "request" {
		return r, errNoRequest
	}
	return r, nil
}

// depth returns how deep objects and arrays of a text in JSON are nested.
func depth(content []byte) int {
	deepest, open, quoted := 0, 0, false
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open++
			deepest = max(deepest, open)
		case c == '}' || c == ']':
			open--
		}
	}
	return deepest
}
