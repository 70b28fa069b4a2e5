package debugger

// A mark is a breakpoint or watchpoint as the client knows it.
type mark struct {
}
