package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// MaxAnswer is how many bytes the result of a call may have on the wire.
// Clients over standard input and output drop the connection at lines of 10
// MiB.
const MaxAnswer = 8 << 20

// A Shelf keeps answers that are larger than [MaxAnswer], each for the
// principal who asked.
type Shelf interface {
	// Put keeps a text and returns its id and where people find it.
	Put(ctx context.Context, owner, text string) (id, path string, err error)
	// Get returns the text, or an error that is [fs.ErrNotExist] when the
	// owner has none of that id.
	Get(ctx context.Context, owner, id string) (text string, err error)
}

// shelfScheme is the scheme of the resources by which kept answers are read.
const shelfScheme = "answer"

// pieceSize is how much of a kept answer one resource has, in bytes.
const pieceSize = 1 << 20

// shelfSource serves the pieces. They are in no list: whoever may read one was
// told its URI.
func (s *Server) shelfSource() *boundSource {
	return &boundSource{
		ResourceSource: &ResourceSource{Scheme: shelfScheme, Read: s.readPiece},
		table:          &Table{Family: shelfScheme},
	}
}

// readPiece reads answer://ID/N, the N-th piece from 1 on.
func (s *Server) readPiece(ctx context.Context, call *Call, uri string) ([]Contents, error) {
	missing := &ResourceNotFoundError{URI: uri, Baseline: CodeResourceNotFound, Message: "Resource not found: " + uri}
	id, part, _ := strings.Cut(strings.TrimPrefix(uri, shelfScheme+"://"), "/")
	n, err := strconv.Atoi(part)
	if err != nil || n < 1 {
		return nil, missing
	}
	text, err := s.cfg.Shelf.Get(ctx, call.Caller().Principal.ID, id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	pieces := cut(text)
	if n > len(pieces) {
		return nil, missing
	}
	return []Contents{{URI: uri, MIMEType: "text/plain", Text: pieces[n-1]}}, nil
}

// cut cuts a text between characters.
func cut(text string) []string {
	var pieces []string
	for len(text) > pieceSize {
		end := pieceSize
		for end > pieceSize-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		pieces, text = append(pieces, text[:end]), text[end:]
	}
	return append(pieces, text)
}

// setAside puts a result that is too large on the shelf and returns one that
// says where it is. It is an error of the tool: the structured content that its
// schema promises is not there.
func (s *Server) setAside(ctx context.Context, c *Call, r *Result, size int) (*Result, error) {
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
	told, first, err := s.shelve(ctx, c, text, size)
	if err != nil {
		return nil, err
	}
	result := errorResult(told)
	if first != "" {
		result.Content = append(result.Content, Link(Resource{URI: first, Name: "the first piece of the answer", MIMEType: "text/plain"}))
	}
	return result, nil
}

// shelve keeps a text and says where; first is the URI of its first piece.
func (s *Server) shelve(ctx context.Context, c *Call, text string, size int) (told, first string, err error) {
	told = fmt.Sprintf("the answer has %d bytes; %d can be sent at most", size, MaxAnswer)
	if s.cfg.Shelf == nil || text == "" {
		return told + "; ask for less", "", nil
	}
	id, path, err := s.cfg.Shelf.Put(ctx, c.handler.caller.Principal.ID, text)
	if err != nil {
		return "", "", fmt.Errorf("keeping an answer that is too large: %w", err)
	}
	first = shelfScheme + "://" + id + "/1"
	return fmt.Sprintf("%s: it is in the file %s, and in %d pieces as the resources %s to /%[3]d", told, path, len(cut(text)), first), first, nil
}

// tooLargeToRead refuses contents that are too large, and says where they are.
func (s *Server) tooLargeToRead(ctx context.Context, c *Call, contents []Contents, size int) error {
	var text strings.Builder
	for i := range contents {
		text.WriteString(contents[i].Text)
	}
	told, _, err := s.shelve(ctx, c, text.String(), size)
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: told}
}
