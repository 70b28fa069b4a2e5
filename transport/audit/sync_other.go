//go:build !linux

package audit

import "os"

// datasync puts a file on disk.
func datasync(f *os.File) error { return f.Sync() }
