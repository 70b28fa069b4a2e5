package bugs

// A Site describes the place where a program stopped. All fields are optional.
type Site struct {
	File     string // as named by the debug information or the user
	Line     int    // from 1; 0 if unknown
	Function string // the innermost function, as in the stack trace

	Signal       string  // SIGSEGV
	Instruction  string  // the faulting instruction, such as "mov rax, [rbx+8]"
	FaultAddress *uint64 // the address that was accessed, or nil

	// Values holds the values of variables and registers by name, as the
	// debugger shows them. Numbers may have any base that Go supports.
	Values map[string]string
}

// A Diagnosis describes what went wrong at a site.
type Diagnosis struct {
	Kind   Kind   `json:"kind,omitempty" doc:"Sort of bug; absent when it could not be told"`
	Class  Class  `json:"class" doc:"crash, memory or logic"`
	Title  string `json:"title" doc:"The sort of bug in words"`
	Reason string `json:"reason" doc:"Why"`
}
