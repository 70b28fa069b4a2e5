// Package debuginfod gets separate debug files from servers of elfutils' protocol, by
// the build ids of programs.
//
//	c, err := debuginfod.New("https://debuginfod.debian.net", folder, log)
//	path := c.Find("5ad1b6…") // "" if no server has it
//
// A server learns which programs are debugged, so a client exists only by the user's
// choice. What a server sends is kept in a folder if it is an ELF file with the build id.
//
// # Concurrency
//
// A Client may be used by several goroutines; it asks for one file at a time.
package debuginfod
