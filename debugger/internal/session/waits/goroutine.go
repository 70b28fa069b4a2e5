package waits

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// Goroutine returns what a goroutine that waits waits for, given its stack: its channels,
// the object of package sync, the descriptor; "" if that is not known. It does not repeat the
// runtime's reason.
func Goroutine(ctx context.Context, s *inspect.Inspector, g inspect.Goroutine, frames []callstack.Frame) string {
	r := newReader(ctx, s)
	if text := r.channels(g, frames); text != "" {
		return text
	}
	for i := range frames {
		if described, ok := goWaits[frames[i].Function]; ok {
			if text := described(r, frames, i); text != "" {
				return text
			}
		}
	}
	return ""
}

// goWaits has functions of Go's runtime and libraries that wait, and what describes the
// object from their variables.
var goWaits = map[string]func(r *reader, frames []callstack.Frame, at int) string{
	"runtime.semacquire1":         (*reader).goSemaphore,
	"sync.runtime_notifyListWait": (*reader).goCond,
	"time.Sleep":                  (*reader).goSleep,
	"internal/poll.(*FD).Read":    (*reader).goDescriptor, "internal/poll.(*FD).Write": (*reader).goDescriptor,
	"internal/poll.(*FD).Accept": (*reader).goDescriptor, "internal/poll.(*FD).ReadFrom": (*reader).goDescriptor,
	"internal/poll.(*FD).WriteTo": (*reader).goDescriptor, "internal/poll.(*FD).ReadMsg": (*reader).goDescriptor,
	"internal/poll.(*FD).Pread": (*reader).goDescriptor, "internal/poll.(*FD).WaitWrite": (*reader).goDescriptor,
	"internal/poll.(*FD).ReadFromInet4": (*reader).goDescriptor, "internal/poll.(*FD).ReadFromInet6": (*reader).goDescriptor,
	"internal/poll.(*FD).Writev": (*reader).goDescriptor, "internal/poll.(*FD).RawRead": (*reader).goDescriptor,
}

// maxCases bounds the channels of a select that are named.
const maxCases = 8

// channels names the channels that a goroutine waits for, with how full they are.
func (r *reader) channels(g inspect.Goroutine, frames []callstack.Frame) string {
	var all []string
	for at := g.Member("waiting"); len(all) <= maxCases; at = inspect.Member(at, "waitlink") {
		sudog, err := at.Deref()
		if err != nil {
			break
		}
		channel := word(inspect.Member(sudog, "c"))
		if channel == 0 {
			break
		}
		all = append(all, r.channel(channel, frames))
	}
	return strings.Join(all, ", ")
}

// word returns a pointer of the runtime, which some versions wrap in a struct.
func word(o values.Object) uint64 {
	for _, path := range [][]string{{"maybeTraceablePtr", "vu"}, {"vu"}} {
		if v := inspect.Number(o, path...); v != 0 {
			return v
		}
	}
	v, _ := o.Uint() // 0 if it cannot be read
	return v
}

// channel describes a channel: its name and how full it is. A runtime.hchan begins with both
// numbers.
func (r *reader) channel(at uint64, frames []callstack.Frame) string {
	const capacity = 8
	name := r.goName(frames, func(v values.Object) (string, bool) { return pointing(v, v.Name, at, 0) })
	return fmt.Sprintf("%s (%d of %d queued)", withAddress(name, at), r.quad(at), r.quad(at+capacity))
}

// Offsets in objects of package sync of the semaphores that goroutines wait for.
const (
	mutexSema     = 4
	groupSema     = 8
	writerSema    = 8
	readerSema    = 12
	condNotify    = 16
	groupCounter  = 4
	readersOffset = 16
)

// goSemaphore describes the object of package sync whose semaphore a goroutine waits for: the
// next function says which one.
func (r *reader) goSemaphore(frames []callstack.Frame, at int) string {
	sema := r.semaphore(&frames[at])
	if sema == 0 {
		return ""
	}
	for _, f := range frames[at:] {
		switch {
		case strings.Contains(f.Function, "sync.(*Mutex)."):
			return r.goObject(frames, "mutex", object{addr: sema - mutexSema, size: 8}) + ", whose holder Go does not record"
		case strings.HasSuffix(f.Function, "sync.(*RWMutex).RLock"):
			return r.goObject(frames, "read-write lock", object{addr: sema - readerSema, size: 24}) + ", whose writer Go does not record"
		case strings.HasSuffix(f.Function, "sync.(*RWMutex).Lock"):
			return r.goObject(frames, "read-write lock", object{addr: sema - writerSema, size: 24}) + ", whose readers Go does not record"
		case strings.HasSuffix(f.Function, "sync.(*WaitGroup).Wait"):
			group := sema - groupSema
			return r.goObject(frames, "wait group", object{addr: group, size: 16}) + fmt.Sprintf(", counter %d", r.word(group+groupCounter))
		}
	}
	return r.goObject(frames, "semaphore", object{addr: sema, size: 4})
}

// semaphore returns the address that semacquire1 waits for.
func (r *reader) semaphore(f *callstack.Frame) uint64 {
	if sudog, err := f.Variable(r.ctx, "s"); err == nil {
		if target, err := sudog.Deref(); err == nil {
			return word(inspect.Member(target, "elem"))
		}
	}
	return 0
}

// goCond describes the condition variable whose list a goroutine waits in.
func (r *reader) goCond(frames []callstack.Frame, at int) string {
	list, err := frames[at].Variable(r.ctx, "l")
	if err != nil {
		return ""
	}
	addr, err := list.Uint()
	if err != nil || addr == 0 {
		return ""
	}
	return r.goObject(frames, "condition variable", object{addr: addr - condNotify, size: 56})
}

// goSleep describes a sleep by its argument.
func (r *reader) goSleep(frames []callstack.Frame, at int) string {
	ns, err := frames[at].Variable(r.ctx, "ns")
	if err != nil {
		return ""
	}
	n, err := ns.Int()
	if err != nil || n <= 0 {
		return ""
	}
	return "the end of " + time.Duration(n).String()
}

// goDescriptor describes the descriptor of a poll.FD.
func (r *reader) goDescriptor(frames []callstack.Frame, at int) string {
	fd, err := frames[at].Variable(r.ctx, "fd")
	if err != nil {
		return ""
	}
	number, err := inspect.Member(fd, "Sysfd").Int()
	if err != nil {
		return ""
	}
	return r.descriptor(uint64(number))
}

// goObject names an object of package sync.
func (r *reader) goObject(frames []callstack.Frame, what string, o object) string {
	name, ok := r.global(o)
	if !ok {
		name = withAddress(r.goName(frames, func(v values.Object) (string, bool) { return reach(v, o) }), o.addr)
	}
	return what + " " + name
}

// goName returns the name that match finds among the variables of the functions that are not
// of Go's libraries, "" if it finds none.
func (r *reader) goName(frames []callstack.Frame, match func(values.Object) (string, bool)) string {
	users := 0
	for i := range frames {
		f := &frames[i]
		if ofGoLibrary(f.Function) || !f.Described() {
			continue
		}
		for _, v := range f.Variables() {
			if name, ok := match(v); ok {
				return name
			}
		}
		if users++; users == maxUsers {
			break
		}
	}
	return ""
}

// ofGoLibrary reports whether a function waits on behalf of others.
func ofGoLibrary(function string) bool {
	for _, prefix := range []string{"runtime.", "sync.", "internal/", "time."} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}
