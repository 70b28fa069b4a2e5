package setupcmd

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// checkTrail reports whether the folder of the audit trail and its signing key is one that
// servers accept, and how durable the trail is in a server of the stores. If that is
// unreachable, checkStore has said so.
func (a commands) checkTrail(ctx context.Context) []finding {
	const check = "audit trail"
	env, err := a.app.Env(slog.LevelError)
	if err != nil || a.app.Flags.Audit.NoAudit {
		return nil
	}
	folder := filepath.Join(env.Data, "audit")
	if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return []finding{{
			check, failed, folder + " is a symbolic link: nothing can be recorded there, so calls fail",
			"replace the link by the folder itself, or move the whole data folder and name it with --data",
		}}
	}
	client, err := a.app.DialValkey(ctx, env.Logger)
	if err != nil || client == nil {
		return nil
	}
	defer func() { _ = client.Close() }() // every answer has come
	if err := audit.CheckValkey(ctx, client, env.StorePrefix); err != nil {
		return []finding{{
			check, warning, "it is as durable as the store keeps it, which cannot confirm a sync: " + err.Error(),
			"a store that knows WAITAOF (Valkey, or Redis from 7.2 on) with appendonly yes can",
		}}
	}
	return []finding{{check, good, "changes are synced by the store before their answer", ""}}
}
