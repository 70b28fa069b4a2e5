//go:build !linux

package wholefile

import "os"

// SyncData puts a file's bytes on disk.
func SyncData(f *os.File) error { return f.Sync() }
