// Package releasecmd makes what is installed beside the program: triptych man prints
// its man pages, and a hidden command makes the files of a release.
package releasecmd
