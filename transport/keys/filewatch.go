package keys

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/mcp/folderwatch"
)

// pollEvery is the interval in which a watch reads the file where no events come, as on
// network and container mounts.
const pollEvery = MaxAge / 2

// Watch implements [Store]. It reads the file at every event and every tick, so that a
// revocation by another process is seen at once where events come, and within pollEvery
// elsewhere.
func (s *FileStore) Watch(ctx context.Context) error {
	w := folderwatch.New(s.dir)
	defer w.Close()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		w.Follow()
		_ = s.refresh(ctx, s.clock()) // load reports what is wrong
		select {
		case <-ctx.Done():
			return nil
		case <-w.Events:
		case <-w.Lost:
		case <-ticker.C:
		}
	}
}
