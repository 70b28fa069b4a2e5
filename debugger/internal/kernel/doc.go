// Package kernel holds the packages that ask Linux.
//
//	proc      a traced process: its threads, breakpoints and memory
//	guard     what becomes of it if its debugger is killed
//	ptrace    requests to the kernel's tracer
//	procfs    files of /proc
//	syscalls  what system calls write, and whether they change mappings or threads
//	features  what a machine lacks, and what that costs
package kernel
