package recorder

import (
	"maps"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
)

func address(c host.Caller) string {
	if !c.Addr.IsValid() {
		return ""
	}
	return c.Addr.Addr().String()
}

func sessionOf(c host.Caller) string {
	if c.Session == nil {
		return ""
	}
	return c.Session.ID
}

// target returns the tool, the prompt or the scheme of the resource. A URI may contain
// more than a trail should record.
func target(e *host.Event) string {
	if scheme, _, ok := strings.Cut(e.Target, "://"); ok && e.Family == "" {
		return scheme
	}
	return e.Target
}

// details returns the facts of an event, including the client that acts for the key, and
// whether the call became a task, whose result is in the record of its end.
func details(e *host.Event) map[string]string {
	client := e.Caller.Principal.Client
	if !e.Task && client == "" {
		return e.Details
	}
	all := maps.Clone(e.Details)
	if all == nil {
		all = map[string]string{}
	}
	if e.Task {
		all["task"] = "begun"
	}
	if client != "" {
		all["client"] = client
	}
	return all
}

func outcome(e *host.Event) audit.Outcome {
	switch {
	case e.Code == host.CodePermissionDenied:
		return audit.Refused
	case e.Code != 0 || e.Failed:
		return audit.Failed
	}
	return audit.OK
}
