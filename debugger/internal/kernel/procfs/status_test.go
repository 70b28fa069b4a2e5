package procfs

import "testing"

// The name in stat may contain anything: proc_pid_stat(5).
func TestStatField(t *testing.T) {
	const text = "42 (a ) R b) S 1 42 42 0 -1 4194560 rest"
	for number, want := range map[int]string{StatState: "S", StatParent: "1", StatFlags: "4194560"} {
		if got, err := StatField(text, number); got != want || err != nil {
			t.Errorf("field %d is %q (%v), want %q", number, got, err, want)
		}
	}
	for _, broken := range []string{"", "42", "42 (x", "42 (x) S"} {
		if got, err := StatField(broken, StatProcessor); err == nil {
			t.Errorf("field of %q is %q", broken, got)
		}
	}
}

func TestParseStatus(t *testing.T) {
	s := ParseStatus("Name:\ta: b\nUid:\t1\t2\t3\t4\nTracerPid:\t7\nCapEff:\t0000000000080000\nbroken")
	if s["Name"] != "a: b" || s.Number("TracerPid") != 7 || s.Bits("CapEff") != 1<<19 || s.IDs("Uid") != [4]string{"1", "2", "3", "4"} {
		t.Errorf("status %v", s)
	}
	if s.Number("None") != 0 || s.Bits("Name") != 0 || s.IDs("None") != [4]string{} {
		t.Error("fields that are not there are not zero")
	}
}

// The field has the form of Linux's fs/proc/array.c and arch/x86/kernel/cpu/proc.c.
func TestShadowStack(t *testing.T) {
	for text, want := range map[string]bool{
		"Name:\tx\nx86_Thread_features:\tshstk wrss \nx86_Thread_features_locked:\t\n": true,
		"Name:\tx\nx86_Thread_features:\tshstk \n":                                     true,
		"Name:\tx\nx86_Thread_features:\t\nx86_Thread_features_locked:\tshstk \n":      false,
		"Name:\tshstk\n": false,
	} {
		if got := ParseStatus(text).ShadowStack(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
