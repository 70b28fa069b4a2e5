package mcp

import (
	"fmt"
	"sync"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// The default budgets of [Config], in bytes.
const (
	defaultStateMemoryTotal = 64 << 20
	defaultStateMemory      = 32 << 20
)

// entryBytes is charged for each stored entry in addition to the client's bytes:
// for map entries, slice headers and structs.
const entryBytes = 128

// A budget limits the bytes that the server stores for callers between their
// requests: subscriptions, listen requests, and tasks with their arguments and
// results. Bytes charged with take must be returned with give when they are
// released. Its methods may be called concurrently and do not block.
type budget struct {
	each, all int

	mu      sync.Mutex
	total   int
	of      map[string]int // by principal
	refused int64
}

// init sets the limits from the configuration, in bytes. Limits that are not
// positive get the defaults.
func (b *budget) init(cfg *Config) {
	b.each, b.all, b.of = cfg.StateMemory, cfg.StateMemoryTotal, map[string]int{}
	if b.each <= 0 {
		b.each = defaultStateMemory
	}
	if b.all <= 0 {
		b.all = defaultStateMemoryTotal
	}
}

// take charges n bytes to the principal. Its error names the exhausted budget and
// says what the client can do.
func (b *budget) take(principal string, n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.of[principal]+n > b.each:
		b.refused++
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Too much state").WithDetails(
			"the server keeps %d bytes at most for one client: end subscriptions, listen requests or tasks first", b.each)
	case b.total+n > b.all:
		b.refused++
		return &UnavailableError{Message: fmt.Sprintf("the server keeps %d bytes at most for all clients together: try again later", b.all)}
	}
	b.of[principal] += n
	b.total += n
	return nil
}

// give returns n bytes that take charged to the principal.
func (b *budget) give(principal string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total -= n
	if b.of[principal] -= n; b.of[principal] == 0 {
		delete(b.of, principal)
	}
}

// StateUsage returns the use of the budget for state that the server stores
// between requests ([Config.StateMemory]).
func (s *Server) StateUsage() host.Usage {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	return host.Usage{Used: int64(b.total), Limit: int64(b.all), Owners: len(b.of), Refused: b.refused}
}

// TaskUsage returns the number of tasks that clients can ask this server for: those that run,
// and those that have ended within the last hour.
func (s *Server) TaskUsage() host.Usage {
	all := &s.tasks
	all.mu.Lock()
	defer all.mu.Unlock()
	return host.Usage{Used: int64(len(all.by)), Limit: maxTasks, Owners: len(all.of), Refused: all.refused}
}
