// Triptych serves rulesets for AI editors, Advent of Code puzzles and a debugger
// over the Model Context Protocol, and lets people work with the same data from
// a shell.
//
// Everything is wired here and nothing is decided here. The parts, in the
// order in which a run meets them:
//
//   - main.go takes the arguments, the signals and the exit status;
//   - commands.go lists the rows of the table of commands;
//   - internal/command has the rows, their flags and their help, and runs them;
//   - internal/app has the families of tools, the stores and the server that commands
//     open;
//   - internal/…cmd has the commands, a package for each group: rulesetscmd, aoccmd,
//     keycmd, auditcmd, backupcmd, debugcmd, toolcmd, servecmd, setupcmd, skillcmd and releasecmd;
//   - the other packages of internal know nothing of commands.
//
// Standard output carries the result or the protocol, nothing else. People
// are spoken to on standard error, as "triptych: what failed" and
// "triptych: hint: what to do". The exit status is 0 when the work is done, 1
// when it failed, 2 when the command line is wrong.
package main
