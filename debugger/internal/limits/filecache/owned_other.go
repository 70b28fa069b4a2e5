//go:build !unix

package filecache

import "io/fs"

// owned reports true: the system's own permissions decide.
func owned(fs.FileInfo) bool { return true }
