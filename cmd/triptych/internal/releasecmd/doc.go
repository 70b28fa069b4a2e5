// Package releasecmd makes the man pages that are installed beside the program.
package releasecmd
