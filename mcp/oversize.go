package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// MaxAnswer is the maximum size of a call's result on the wire, in bytes. Clients
// over standard input and output close the connection at lines of 10 MiB.
const MaxAnswer = 8 << 20

// oversize sets answers aside that are too large to send.
type oversize struct {
	store host.OversizeStore // nil without one
}

// oversizeScheme is the URI scheme of the resources through which stored answers
// are read.
const oversizeScheme = "answer"

// pieceSize is the size in bytes of the pieces of a stored answer, each of which
// is a resource. A piece begins at the start of a character, at most 3 bytes
// before a multiple of pieceSize.
const pieceSize = 1 << 20

// oversizeSource serves the pieces. They are not listed: a client gets the URI
// with the answer to its call.
func (o *oversize) oversizeSource() *boundSource {
	return &boundSource{
		ResourceSource: &ResourceSource{Scheme: oversizeScheme, Read: o.readPiece},
		table:          &Table{Family: oversizeScheme},
	}
}

// readPiece reads answer://ID/N, the N-th piece, counted from 1.
func (o *oversize) readPiece(ctx context.Context, call *Call, uri string) ([]Contents, error) {
	missing := &ResourceNotFoundError{URI: uri, Message: "Resource not found: " + uri}
	id, part, _ := strings.Cut(strings.TrimPrefix(uri, oversizeScheme+"://"), "/")
	n, err := strconv.Atoi(part)
	if err != nil || n < 1 {
		return nil, missing
	}
	file, err := o.store.Open(ctx, call.Caller().Principal.ID, id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // errors do not matter, it was only read
	if n > pieces(file.Size()) {
		return nil, missing
	}
	text, err := piece(file, n)
	if err != nil {
		return nil, err
	}
	return []Contents{{URI: uri, MIMEType: "text/plain", Text: text}}, nil
}

// pieces returns the number of pieces of a text of the given size.
func pieces(size int64) int { return int((size + pieceSize - 1) / pieceSize) }

// piece returns the n-th piece.
func piece(text host.OversizeText, n int) (string, error) {
	from := max(0, int64(n-1)*pieceSize-(utf8.UTFMax-1))
	to := min(text.Size(), int64(n)*pieceSize+1)
	window := make([]byte, to-from)
	if _, err := text.ReadAt(window, from); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	begin := runeStart(window, int64(n-1)*pieceSize-from)
	end := int64(len(window))
	if int64(n)*pieceSize < text.Size() {
		end = runeStart(window, int64(n)*pieceSize-from)
	}
	return string(window[begin:end]), nil
}

// runeStart returns the index of the start of the character that contains
// window[i].
func runeStart(window []byte, i int64) int64 {
	for back := i; back > 0 && i-back < utf8.UTFMax; back-- {
		if utf8.RuneStart(window[back]) {
			return back
		}
	}
	return max(0, i)
}

// setAside stores a result that is too large and returns one that says where it
// is. That result is an error of the tool, since it lacks the structured content
// that the tool's schema promises.
func (o *oversize) setAside(ctx context.Context, c *Call, r *Result, size int) (*Result, error) {
	var texts []string
	for _, item := range r.items(new([1]Content)) {
		if item.kind == kindText {
			texts = append(texts, item.text)
		}
	}
	text := strings.Join(texts, "\n")
	if text == "" && r.Structured != nil {
		raw, err := marshal(r.Structured)
		if err != nil {
			return nil, err
		}
		text = string(raw)
	}
	message, first, err := o.storeOversize(ctx, c, text, size)
	if err != nil {
		return nil, err
	}
	result := errorResult(message)
	if first != "" {
		result.Content = append(result.Content, Link(Resource{URI: first, Name: "the first piece of the answer", MIMEType: "text/plain"}))
	}
	return result, nil
}

// storeOversize stores a text and returns a message that says where it is; first
// is the URI of its first piece. Only a client on this machine, over standard
// input and output, is told the path of the file.
func (o *oversize) storeOversize(ctx context.Context, c *Call, text string, size int) (message, first string, err error) {
	message = fmt.Sprintf("the answer has %d bytes; %d can be sent at most", size, MaxAnswer)
	if o.store == nil || text == "" {
		return message + "; ask for less", "", nil
	}
	id, path, err := o.store.Put(ctx, c.handler.caller.Principal.ID, text)
	if errors.Is(err, host.ErrNoRoom) {
		return message + ", and the server has no room to keep it; ask for less", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("store an answer that is too large: %w", err)
	}
	first = oversizeScheme + "://" + id + "/1"
	where := fmt.Sprintf("in %d pieces as the resources %s to /%[1]d", pieces(int64(len(text))), first)
	if c.handler.caller.Connection {
		where = fmt.Sprintf("in the file %s, and %s", path, where)
	}
	return message + ": it is " + where, first, nil
}

// tooLargeToRead returns the error for contents that are too large. It says where
// they are stored.
func (o *oversize) tooLargeToRead(ctx context.Context, c *Call, contents []Contents, size int) error {
	var text strings.Builder
	for i := range contents {
		text.WriteString(contents[i].Text)
	}
	message, _, err := o.storeOversize(ctx, c, text.String(), size)
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: message}
}
