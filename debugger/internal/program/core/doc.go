// Package core reads core files: what Linux on amd64, or gdb's gcore, keeps of
// a process that has ended, or of one that lives on.
//
//	file, err := core.Open("core.1234", core.Options{})
//	if err != nil {
//		return err // ErrFormat says what else it is
//	}
//	defer file.Close()
//	stop := file.Stop()               // the thread, and the signal that ended it
//	regs, err := file.Regs(stop.Thread)
//	n, err := file.ReadMemory(regs.RSP, b)
//
// # Memory
//
// A core file leaves out what is in other files: code, mostly. That is read
// from those files, if they are still the ones that the process had mapped: ELF
// files with the same build id or, where there is none, with the same first
// page. Otherwise a [MemoryError] names the file and says what is wrong with it.
// So a file cannot be read through a core file that merely names it.
//
// Memory of no file that is left out reads as zero: the process has never written
// it, or has asked that it be left out (MADV_DONTDUMP), which cannot be told
// apart. What the process itself could not read cannot be read here.
//
// # Hostile files
//
// Everything that a core file says is checked against its size. Apart from that
// of its tables, whose sizes are bounded, no contents are kept in memory.
//
// # Concurrency
//
// The methods of a [File] may be called from several goroutines at once, Close
// after all others.
package core
