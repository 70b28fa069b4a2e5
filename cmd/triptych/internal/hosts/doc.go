// Package hosts describes the programs that people connect to an MCP server: the first
// requests of each, what its users see when something is wrong, and the quirks that a server
// has to allow for.
//
//	for _, host := range hosts.All {
//		report := visit.Play(ctx, &host)
//	}
//
// The tables say where each row is from. The requests of a host with a version in Asked were
// recorded from that version; those of the others follow its source or its documents.
//
// # Concurrency
//
// A [Visit] is for one goroutine.
package hosts
