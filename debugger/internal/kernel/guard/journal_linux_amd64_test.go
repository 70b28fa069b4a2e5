package guard

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// The guard reads what was published, the last record of each thread, and nothing
// that was added afterwards.
func TestJournal(t *testing.T) {
	j, err := NewJournal()
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if u := j.read(); u.state != NoWork {
		t.Errorf("an empty journal is in state %d", u.state)
	}
	j.SetRescue(0x7000, 5)
	first, second, mask := ptrace.Regs{RIP: 1}, ptrace.Regs{RIP: 2, RAX: 3}, uint64(4)
	j.Thread(10, &first, &mask)
	j.Thread(11, &first, nil)
	j.Publish(WorkThreads)
	j.Write(9, 0x1000, []byte("memory"))
	j.Vector(10, []byte{1, 2, 3})
	j.Thread(10, &second, nil)
	if u := j.read(); u.state != WorkThreads || len(u.wards) != 2 || u.wards[0].regs != first || len(u.writes) != 0 {
		t.Errorf("before it was published: %+v", u)
	}
	j.Publish(WorkAll)
	u := j.read()
	if u.state != WorkAll || u.rescue != 0x7000 || len(u.wards) != 2 || len(u.writes) != 1 {
		t.Fatalf("got %+v", u)
	}
	w := u.wards[0]
	if w.tid != 10 || w.regs != second || *w.mask != mask || !bytes.Equal(w.vector, []byte{1, 2, 3}) {
		t.Errorf("thread %+v", w)
	}
	if x := u.writes[0]; x.pid != 9 || x.address != 0x1000 || string(x.data) != "memory" {
		t.Errorf("memory %+v", x)
	}
	j.Truncate(0)
	j.Publish(NoWork)
	if u := j.read(); u.state != NoWork || len(u.wards) != 0 {
		t.Errorf("at the end: %+v", u)
	}
}

// What has no room is not published; what was published before stays.
func TestJournalIsFull(t *testing.T) {
	j, err := NewJournal()
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var regs ptrace.Regs
	j.Thread(10, &regs, nil)
	j.Publish(WorkThreads)
	length := j.Length()
	j.Write(9, 0x1000, make([]byte, journalSize/2))
	j.Write(9, 0x1000, make([]byte, journalSize/2))
	if j.Publish(WorkAll) {
		t.Error("more was published than there is room for")
	}
	j.Truncate(length)
	if u := j.read(); u.state != WorkThreads || len(u.wards) != 1 {
		t.Errorf("got %+v", u)
	}
}

// The offsets in the rescue code fit its instructions (Intel SDM volume 2: syscall
// is 0f 05, mov eax b8), and its words follow it, aligned.
func TestRescueCode(t *testing.T) {
	syscall := []byte{0x0f, 0x05}
	for _, at := range []int{0, RescueParked - 2, RescueReturn + 5} {
		if !bytes.Equal(RescueCode[at:at+2], syscall) {
			t.Errorf("at %d is % x, want syscall", at, RescueCode[at:at+2])
		}
	}
	for at, number := range map[int]byte{RescuePark: unix.SYS_PAUSE, RescueReturn: unix.SYS_RT_SIGRETURN} {
		if !bytes.Equal(RescueCode[at:at+5], []byte{0xb8, number, 0, 0, 0}) {
			t.Errorf("at %d is % x, want mov eax, %d", at, RescueCode[at:at+5], number)
		}
	}
	if len(RescueCode) != rescueOwner || rescueOwner%4 != 0 || rescueRepaired != rescueOwner+4 || RescueSize != rescueRepaired+4 {
		t.Errorf("the code has %d bytes, its words are at %d and %d, its end is %d", len(RescueCode), rescueOwner, rescueRepaired, RescueSize)
	}
}
