//go:build !linux

package document

import "io/fs"

const openFlags = 0

func stampOf(info fs.FileInfo) stamp { return plain(info) }
