// Package looktools has the tools that show a process that is stopped: stack,
// variables, threads, registers, memory, code, source. One changes memory.
package looktools
