package x86_test

import (
	"bufio"
	"encoding/hex"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// A line is one instruction as objdump sees it.
type line struct {
	pc    uint64
	code  []byte
	text  string // Intel syntax of the GNU tools
	index int    // in the output, for sampling
}

// objdump calls visit with each instruction of the executable sections of a
// file, until it returns false. Of the addresses only multiples of align count.
func objdump(t *testing.T, align uint64, visit func(line) bool, args ...string) {
	t.Helper()
	tool, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump (binutils) is not installed")
	}
	cmd := exec.CommandContext(t.Context(), tool, append([]string{"-w", "-M", "intel"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 1<<20)
	for n := 0; scanner.Scan(); {
		l, ok := parseLine(scanner.Text(), align)
		if !ok {
			continue
		}
		l.index = n
		n++
		if !visit(l) {
			_ = cmd.Process.Kill()
			break
		}
	}
	_ = cmd.Wait() // fails when it was killed, which is no news
}

// parseLine takes apart "  401000:\t48 8b 43 08 \tmov    rax,QWORD PTR [rbx+0x8]".
func parseLine(s string, align uint64) (line, bool) {
	address, rest, ok := strings.Cut(s, ":\t")
	pc, err := strconv.ParseUint(strings.TrimSpace(address), 16, 64)
	if !ok || err != nil || pc%align != 0 {
		return line{}, false
	}
	bytes, text, ok := strings.Cut(rest, "\t")
	if !ok {
		return line{}, false
	}
	code, err := hex.DecodeString(strings.ReplaceAll(bytes, " ", ""))
	if err != nil || len(code) == 0 {
		return line{}, false
	}
	return line{pc: pc, code: code, text: strings.TrimSpace(text)}, true
}
