//go:build !unix

package filestore

import "io/fs"

func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), modified: info.ModTime()}
}
