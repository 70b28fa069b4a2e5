package calltrace

// A CallTrace describes a call: its lines, what they changed, and the calls that
// it made.
type CallTrace struct {
	Function  string   `json:"function"`
	Number    int      `json:"number,omitempty" doc:"Among the recorded calls of the function"`
	Of        int      `json:"of,omitempty"`
	Thread    int      `json:"thread"`
	From      uint64   `json:"from" doc:"Position at its first instruction"`
	To        uint64   `json:"to" doc:"Position after its last one"`
	Steps     uint64   `json:"steps" doc:"With those of its callees"`
	Caller    string   `json:"caller,omitempty"`
	File      string   `json:"file,omitempty"`
	Arguments []Value  `json:"arguments,omitempty"`
	Rows      []Row    `json:"rows"`
	Next      uint64   `json:"next,omitempty" doc:"The rows continue with from at this position"`
	Returned  bool     `json:"returned"`
	Result    string   `json:"result,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

// A Value is a variable with its value.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Row is a line that the call executed, a call that it made there, or the head
// of a loop, which is followed by the loop's last iterations.
type Row struct {
	Position uint64   `json:"position"`
	Level    int      `json:"level,omitempty" doc:"Of loops around it"`
	Loop     int      `json:"loop,omitempty" doc:"Iterations of the loop that begins here"`
	File     string   `json:"file,omitempty" doc:"If it is not that of the call"`
	Line     int      `json:"line,omitempty"`
	Source   string   `json:"source,omitempty"`
	Changes  []Change `json:"changes,omitempty"`
	Call     *Callee  `json:"call,omitempty"`
}

// A Callee is a call in a row. To trace it, query the row's position.
type Callee struct {
	Function  string  `json:"function"`
	To        uint64  `json:"to"`
	Steps     uint64  `json:"steps"`
	Arguments []Value `json:"arguments,omitempty"`
	Result    string  `json:"result,omitempty"`
	Returned  bool    `json:"returned"`
}

// A Change is a variable or memory that a line changed.
type Change struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`

	addr uint64
}
