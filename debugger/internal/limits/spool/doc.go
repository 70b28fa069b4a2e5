// Package spool holds bytes in a file without a name, which is gone when its process ends.
//
//	file, err := spool.Create(folder, 1<<30)
//	extent := file.NewExtent()
//	_, err = extent.Write(b)
//	_, err = extent.ReadAt(b, 0)
//	extent.Release()
//	err = file.Close()
//
// A File consists of blocks of equal size. An [Extent] is a sequence of bytes in some of
// them. The blocks of a released Extent are used again, so that the file never has more
// bytes than its limit, on any file system.
//
// # Concurrency
//
// A File and its Extents belong to one goroutine at a time.
package spool
