// Package peers stores, for the servers that share a store, which of them run, which of them
// has the debugger session of a client, and the sessions and tasks of all.
//
//	registry := peers.NewRegistry(client, prefix, name)
//	owners := peers.NewOwners(client, registry, server.HasState)
//	go registry.Run(ctx, logger)
//
// A server registers a tag, which names its process, under triptych:server:TAG, shows
// every few seconds that it runs, and removes the entry when it ends. These keys are in the
// store, behind the prefix of the installation:
//
//	triptych:server:TAG            what a server says of itself; it expires after an hour
//	triptych:servers               a sorted set of all tags, for people who list the servers
//	triptych:debugging:STATE       tag and name of the server with a debugger session
//	triptych:sessions-of:{OWNER}   a sorted set of the sessions of a principal
//	triptych:session-ended:ID      marks a session as ended
//	triptych:task:{OWNER}:ID       a task; -ends: and -bytes: beside it are the sets of its owner
//	triptych:sessions, :tasks      the channels on which servers tell each other of changes
//
// A store that cannot be reached stops nothing that one server can do alone. Each method says
// what it assumes then.
//
// # Concurrency
//
// All may be used from any goroutine. Nothing runs in the background but [Registry.Run]
// and [Tasks.Watch].
package peers
