package host

import (
	"context"
	"errors"
	"io"
)

// ErrNoRoom is returned by an [OversizeStore] or a [TaskStore] that has no room.
var ErrNoRoom = errors.New("no room for the answer")

// An OversizeStore stores answers that are too large to send for the principal that
// made the call. Its methods may be called concurrently.
type OversizeStore interface {
	// Put stores a text and returns its id and the path of its file. The
	// error is [ErrNoRoom] if the text exceeds a limit of the store.
	Put(ctx context.Context, owner, text string) (id, path string, err error)
	// Open opens the text with an id for reading. The error is
	// [fs.ErrNotExist] if owner has no text with that id.
	Open(ctx context.Context, owner, id string) (OversizeText, error)
}

// An OversizeText is a stored answer that is open for reading.
type OversizeText interface {
	io.ReaderAt
	io.Closer
	Size() int64
}
