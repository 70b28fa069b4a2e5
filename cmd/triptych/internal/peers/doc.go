// Package peers keeps in a store which servers of it run, which of them has the debugger
// session of a client, and the sessions and tasks of all.
//
//	registry := peers.NewRegistry(client, prefix, name)
//	owners := peers.NewOwners(client, registry, server.HasState)
//	go registry.Run(ctx, logger)
//
// A server registers a tag, which names its process, under triptych:server:TAG, shows
// every few seconds that it runs, and removes the entry when it ends. Under
// The sorted set triptych:servers has all tags, for people who look at the list. Under
// triptych:debugging:STATE there are the tag and the name of the server with the
// debugger session of a client. Tasks are hashes triptych:task:{OWNER}:ID.
//
// # Concurrency
//
// All may be used from any goroutine. Nothing runs in the background but [Registry.Run]
// and [Tasks.Watch].
package peers
