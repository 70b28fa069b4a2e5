// Package serve holds the packages that answer clients.
//
//	looktools     memory, variables, threads, code, modules
//	controltools  launch and attach, breakpoints, steps, runs
//	traveltools   the past: positions, last writes, calls, traces
//	accounttools  the account and the audit trail of a caller
//	bugtools      search for similar code, see package bugs
//	xmltools      XML documents, see package document
//	exposetools   opens a socket for a person's debugger
//	sessiontools  what the groups of tools have in common
//
//	dap           the protocol of editors
//	gdbremote     the protocol of gdb and lldb
//	expose        sockets on which the two are served
//
// Packages whose names end in "tools" are rows of the family's table and short handlers;
// they alone know the Model Context Protocol. The others serve people's debuggers from the
// same sessions.
package serve
