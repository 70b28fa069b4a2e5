package valkeyconn

import "time"

const (
	dialTimeout = 3 * time.Second
	ioTimeout   = 10 * time.Second
	// noRetries disables the client library's retries. A command whose answer
	// was lost may have succeeded: a repeated creation would find its own
	// ruleset and report that the name is taken.
	noRetries = -1
	// clusterReload limits the age of the client's map of a cluster: the
	// client does not reload it when a node refuses connections.
	clusterReload = time.Second
)
