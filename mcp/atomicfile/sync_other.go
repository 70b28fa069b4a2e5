//go:build !linux

package atomicfile

import "os"

// SyncData puts a file's bytes on disk.
func SyncData(f *os.File) error { return f.Sync() }
