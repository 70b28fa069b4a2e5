// Package app holds what all commands of the program share: one run of it with its
// flags and its environment, the table of commands, the families that it opens, the
// stores, and the server or the client that a command talks to.
//
//	a := app.New()
//	status := a.Run(ctx, table, os.Args[1:])
//
// A group of commands is a package beside this one. It embeds an [App] in a type of
// its own, whose methods return rows of the table ([command.Command]), and is imported by
// main alone. Rows, their flags and their help are in the package command, errors in
// cmderr, and input and output in cmdio. The parts of this package, from the bottom up:
//
//   - app.go, families.go, wire.go, store.go, trail.go: flags, families, and the stores,
//     the audit trail and the server that are opened by them;
//   - conversation.go and remote.go: a client of a server in this process or at a URL.
package app
