// Package disktest has small disks for tests of what happens when there is no
// space left, or the power goes.
//
//	dir := t.TempDir()
//	disktest.Mount(t, dir, 128<<10)
//	disktest.Fill(t, filepath.Join(dir, "filler"))
//	// no space now; with the filler removed there is some again
//
//	disk := disktest.Format(t, dir)
//	// write below dir, and promise that it is kept
//	disk.PowerCut(t, after, func() { ... }) // look below after
//
//	disk := disktest.FormatVolatile(t, dir)
//	// the same with a cache that a power cut empties, sector by sector
//	disk.PowerCut(t, random, after, func() { ... })
//
// To mount them takes Linux and a user who may; tests skip where that is not so.
package disktest
