package debugger_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// partsToken is the secret of the program parts.c.
const partsToken = "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"

// launchParts launches the program parts.c, which has parts of a secret.
func launchParts(t *testing.T, mask string) *client {
	t.Helper()
	path := debuggertest.Compile(t, filepath.Join("testdata", "secrets", "parts.c"), nil, "gcc", "-g", "-O0")
	c := connect(t, table(t, debugger.Config{Live: debugger.Live{MaskSecrets: mask}}))
	c.ok("launch", args{"path": path})
	for _, function := range []string{"loaded", "copied", "gone"} {
		c.ok("set_breakpoint", args{"function": function})
	}
	return c
}

// checkParts checks that an answer has a part of the token, or that it is masked.
func checkParts(t *testing.T, mask, tool, answer string) {
	t.Helper()
	part := leaks(answer, partsToken)
	if mask == "off" && part == "" {
		t.Errorf("without masks, %s shows nothing of the secret: %s", tool, answer)
	}
	if mask == "on" && (part != "" || !strings.Contains(answer, "<masked>")) {
		t.Errorf("%s shows %q of the secret: %s", tool, part, answer)
	}
}

// Registers with a part of a secret are masked, in both orders of bytes, and others are not.
func TestSecretsInRegistersAreMasked(t *testing.T) {
	for _, mask := range []string{"off", "on"} {
		c := launchParts(t, mask)
		c.ok("continue", nil)
		answer := c.ok("registers", args{"set": "all"})
		checkParts(t, mask, "registers", answer)
		for _, name := range []string{"rax", "rdx", "mm7"} {
			if masked := regexp.MustCompile(name + ` += <masked>`).MatchString(answer); masked != (mask == "on") {
				t.Errorf("masks %s: %s is masked: %v", mask, name, masked)
			}
		}
		if !regexp.MustCompile(`rdi +=  *0x[0-9a-f]+\n(?s:.*)rsp += 0x`).MatchString(answer) {
			t.Errorf("masks %s: addresses are masked: %s", mask, answer)
		}
	}
}

// A copy that is half done is masked, though the whole is elsewhere and was not shown.
func TestHalfDoneCopiesAreMasked(t *testing.T) {
	for _, mask := range []string{"off", "on"} {
		c := launchParts(t, mask)
		c.ok("continue", args{"record": true})
		c.ok("continue", args{"record": true})
		const half = "*(unsigned long *)(half + 8)"
		checkParts(t, mask, "trace_value", c.ok("trace_value", args{"expression": half, "hops": 3}))
		answer := c.ok("last_write", args{"expression": half})
		if part := leaks(answer, partsToken); (part != "") != (mask == "off") {
			t.Errorf("masks %s: last_write shows %q of the secret: %s", mask, part, answer)
		}
	}
}

// Parts that are left of a secret are masked and not found when the whole is gone, if it was
// met before.
func TestPartsOfGoneSecretsAreMasked(t *testing.T) {
	for _, mask := range []string{"off", "on"} {
		c := launchParts(t, mask)
		c.ok("continue", nil)
		c.ok("registers", nil)
		c.ok("continue", nil)
		c.ok("continue", nil)
		for _, tt := range []struct{ tool, answer string }{
			{"find", c.ok("find", args{"kind": "text", "pattern": "kept: "})},
			{"get_variables", c.ok("get_variables", args{"frame": 1})},
		} {
			if part := leaks(tt.answer, partsToken); (part != "") != (mask == "off") {
				t.Errorf("masks %s: %s shows %q of the secret: %s", mask, tt.tool, part, tt.answer)
			}
		}
		if found := c.find("text", partsToken[11:19]).Found; len(found) > 0 != (mask == "off") {
			t.Errorf("masks %s: %d places have a part of the secret", mask, len(found))
		}
	}
}
