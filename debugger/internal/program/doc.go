// Package program holds the packages that read what the files of a program say.
//
//	symbols     names and addresses of a program and its libraries
//	callstack   frames of a thread           cfi        rules to unwind by
//	values      variables as text            location   where a variable is
//	types       types, as their language spells them
//	dwarfread   units, lines, split files    field      bytes of DWARF
//	elffile     sections and notes           pcln       Go's table of lines
//	setcache    what programs share          dwarfregs  numbers of registers
//	lang        source languages
//
//	core        core files
//	debuginfod  debug files from servers
//	sysv        arguments and results of functions
//
// They read memory and registers through small interfaces, and do not know whether a
// process, a core file or a recording answers.
package program
