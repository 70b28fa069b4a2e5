package mcp

import (
	"fmt"
	"sync"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// The default budgets of [Config], in bytes.
const (
	defaultStateMemoryTotal = 64 << 20
	defaultStateMemory      = 32 << 20
)

// entryBytes is charged for each thing that is kept besides the bytes of what
// the client sent: map entries, slice headers and the structs around them.
const entryBytes = 128

// A budget counts the bytes that the server keeps for its callers between
// their requests: subscriptions, listen requests, tasks with their arguments
// and results. What take has granted must be returned with give when the bytes
// are released. Its methods may be called from any goroutine and do not block.
type budget struct {
	each, all int

	mu      sync.Mutex
	total   int
	of      map[string]int // by principal
	refused int64
}

// init takes the limits of the configuration, in bytes, or the defaults for those that
// are not positive.
func (b *budget) init(cfg *Config) {
	b.each, b.all, b.of = cfg.StateMemory, cfg.StateMemoryTotal, map[string]int{}
	if b.each <= 0 {
		b.each = defaultStateMemory
	}
	if b.all <= 0 {
		b.all = defaultStateMemoryTotal
	}
}

// take charges n bytes to the principal. The error says which budget is used up
// and what the client can do about it.
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

// give returns n bytes.
func (b *budget) give(principal string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total -= n
	if b.of[principal] -= n; b.of[principal] == 0 {
		delete(b.of, principal)
	}
}

// A Usage is the state of a budget at one time.
type Usage struct {
	Used, Limit int64 // in all
	Owners      int   // principals that hold something
	Refused     int64 // how often a request was refused
}

// StateUsage returns the bytes that the server keeps for its callers between
// their requests ([Config.StateMemory]).
func (s *Server) StateUsage() Usage {
	b := &s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	return Usage{Used: int64(b.total), Limit: int64(b.all), Owners: len(b.of), Refused: b.refused}
}
