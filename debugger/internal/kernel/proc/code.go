package proc

// A codeKind classifies an instruction for stepping.
type codeKind uint8

const (
	plainCode   codeKind = iota
	syscallCode          // syscall: stepped from its entry to its exit
	pushfCode            // pushes the flags, the trap flag among them
	popfCode             // loads the flags: popf, iret
)

// classify returns the kind of the instruction at the start of code. Prefixes do
// not change the kind. Sysenter and int 0x80 are plain: stepping over them leaves
// no trap flag behind.
func classify(code []byte) codeKind {
	for len(code) > 0 && isPrefix(code[0]) {
		code = code[1:]
	}
	switch {
	case len(code) >= 2 && code[0] == 0x0f && code[1] == 0x05:
		return syscallCode
	case len(code) >= 1 && code[0] == 0x9c:
		return pushfCode
	case len(code) >= 1 && (code[0] == 0x9d || code[0] == 0xcf):
		return popfCode
	}
	return plainCode
}

// isPrefix reports whether a byte is a legacy or REX prefix: Intel SDM volume 2,
// 2.1.1 and 2.2.1.
func isPrefix(b byte) bool {
	switch b {
	case 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3:
		return true
	}
	return b&0xf0 == 0x40
}
