//go:build !linux

package aoccmd

import "os/exec"

// ownGroup does nothing: only the command itself is killed on this system.
func ownGroup(*exec.Cmd) {}

// watchMemory does nothing: memory is neither limited nor measured on this system.
func watchMemory(int, int64, func()) (stop func() int64) { return func() int64 { return 0 } }
