// Package procfs reads the files of /proc about processes and threads, see proc(5).
//
//	status, err := procfs.ReadStatus("/proc/4711/status")
//	tracer := status.Number("TracerPid")
//	maps, err := procfs.ParseMaps(file)
//
// What is parsed here can be parsed on every system; the functions that read files
// are there on Linux only.
package procfs
