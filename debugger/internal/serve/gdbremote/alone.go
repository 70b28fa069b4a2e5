package gdbremote

import (
	"context"
)

// stepAlone makes a step of one thread, while the client leaves the others stopped.
func (m *moves) stepAlone(ctx context.Context, thread int, through way) ([]byte, error) {
	m.replies.alone = thread
	defer func() { m.replies.alone = anyThread }()
	return m.move(ctx, through)
}
