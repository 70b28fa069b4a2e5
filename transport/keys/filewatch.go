package keys

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/mcp/folder"
)

// pollEvery is how often a watch looks at the file where no events come: on
// network and container mounts.
const pollEvery = MaxAge / 2

// Watch implements [Store]. It looks at the file at every event and every tick.
func (s *FileStore) Watch(ctx context.Context) error {
	l := folder.Listen(s.dir)
	defer l.Close()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		_ = s.refresh(ctx, s.clock()) // load reports what is wrong
		select {
		case <-ctx.Done():
			return nil
		case e := <-l.Events:
			l.Hear(e)
		case <-l.Faults: // events may be lost: look
		case <-ticker.C:
			l.Arm()
		}
	}
}
