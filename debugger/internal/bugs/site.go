package bugs

// A Site describes the place where a program stopped, as far as is known. All fields may be
// absent.
type Site struct {
	File     string // as the debug information or the user names it
	Line     int    // from 1; 0 is unknown
	Function string // the innermost function, as the stack trace shows it

	Signal       string  // SIGSEGV
	Instruction  string  // the one that faulted: "mov rax, [rbx+8]"
	FaultAddress *uint64 // the address that was accessed; nil when there is none

	// Values are the variables in sight, and registers, by name. Values are
	// written as the debugger shows them; numbers are read in any base that Go
	// knows.
	Values map[string]string
}

// A Diagnosis says what went wrong at a site.
type Diagnosis struct {
	Kind   Kind   `json:"kind,omitempty" doc:"Sort of bug; absent when it could not be told"`
	Class  Class  `json:"class" doc:"crash, memory or logic"`
	Title  string `json:"title" doc:"The sort of bug in words"`
	Reason string `json:"reason" doc:"Why"`
}
