package proc

import "github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"

// An eventQueue holds events that arrived while another one was handled.
type eventQueue struct{ events []ptrace.Event }
