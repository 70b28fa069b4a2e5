// Package symbolstest builds the programs in testdata/programs, stops them under
// gdb, and gives tests what gdb says of them (testdata/oracle.py) beside a core
// file.
//
//	s := symbolstest.Stop(t, symbolstest.Compile(t, "values.c", "-O0"), "marker", 0)
//	frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 0)
//	// compare frames with s.Oracle.Frames
//
// Tests are skipped where a compiler or gdb is missing.
package symbolstest
