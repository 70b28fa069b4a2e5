package servecmd

import (
	"path/filepath"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/diskspace"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/metrics"
)

// watchDisk returns a watch of the folders that a server writes to, each of which may be on a
// disk of its own.
func (a commands) watchDisk(env host.Env) *diskspace.Watch {
	folders := []string{env.Data, trailFolder(env), filepath.Join(env.Data, "keys"), filepath.Join(env.Data, "quota")}
	if a.serves("rulesets") {
		folders = append(folders, a.app.Configs.Rulesets.Folders(env)...)
	}
	if a.serves("aoc") {
		folders = append(folders, a.app.Configs.AoC.Folders(env)...)
	}
	return diskspace.NewWatch(env.Logger.With("component", "disk"), folders...)
}

// trailFolder is the folder of the audit trail.
func trailFolder(env host.Env) string { return filepath.Join(env.Data, "audit") }

// showDisk adds to the metrics how much space there is.
func showDisk(m *metrics.Metrics, w *diskspace.Watch) {
	m.AddGauge("triptych_disk_full", "1 if a disk of the data is full, so that nothing can be changed.", func() float64 {
		if w.Err() != nil {
			return 1
		}
		return 0
	})
	m.AddGauge("triptych_disk_free_bytes", "Space on the disk of the data that has least.", func() float64 { return float64(w.Free()) })
}
