package waits

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// A primitive is something that threads wait for by a futex.
type primitive struct {
	what string
	// of returns where the object begins and its size, given the address of its futex, and
	// the thread that holds it; nil if the object begins with the futex and no holder is known.
	of func(r *reader, call syscalls.Call) object
}

// An object is the object of a primitive in memory.
type object struct {
	addr   uint64
	size   int64 // 0 if it is not known
	holder int   // a thread, 0 if it is not known
	held   string
}

// maxFrames bounds the search for the function that waits.
const maxFrames = 16

// futex describes a wait for the word of a futex.
func (r *reader) futex(thread int, call syscalls.Call) (Wait, bool) {
	const command = 0x7f
	switch call.Args[1] & command {
	case 0, 9: // FUTEX_WAIT, _WAIT_BITSET: it returns at once if the word is another
		if !r.standing(thread, call) {
			return Wait{}, false
		}
	case 6, 11, 13: // FUTEX_LOCK_PI, _WAIT_REQUEUE_PI, _LOCK_PI2
	default:
		return Wait{}, false
	}
	frames, _ := r.inspector.Frames(thread, maxFrames) // without frames only the address is known
	p, caller := primitiveOf(frames)
	if p == nil {
		return r.unnamed(call, frames), true
	}
	o := object{addr: call.Args[0], size: 4}
	if p.of != nil {
		o = p.of(r, call)
	}
	if p == join {
		return r.waitFor(endOf(o.holder), o, nil), true
	}
	return r.waitFor(p.what, o, frames[caller:]), true
}

// waitFor returns the wait for an object, which the variables of some frames may name.
func (r *reader) waitFor(what string, o object, frames []callstack.Frame) Wait {
	wait := Wait{For: what, Holder: o.holder}
	if o.addr != 0 {
		wait.For += " " + r.name(o, frames)
	}
	if o.held != "" {
		wait.For += ", " + o.held
	}
	return wait
}

// unnamed describes a futex that no function on the stack tells of, as with musl, which has
// no call frame information: by the type of the variable that it is in.
func (r *reader) unnamed(call syscalls.Call, frames []callstack.Frame) Wait {
	if o := r.muslThread(call.Args[0]); o.holder != 0 {
		return r.waitFor(endOf(o.holder), o, nil)
	}
	if p := r.primitiveAt(call.Args[0]); p != nil {
		return r.waitFor(p.what, p.of(r, call), frames)
	}
	return r.waitFor("the futex", object{addr: call.Args[0], size: 4}, frames)
}

// primitiveAt returns the primitive that a global variable, or the part of one at an address,
// is; nil if it is none.
func (r *reader) primitiveAt(addr uint64) *primitive {
	name, offset, ok := r.inspector.Program.Variable(addr)
	if !ok {
		return nil
	}
	v, err := values.Global(r.ctx, r.inspector.Program, name, r.inspector.Target.Memory(), dwarfregs.Registers{})
	if start, inMemory := v.Address(); err != nil || !inMemory || start != addr-offset {
		return nil
	}
	for range maxParts {
		if p := byType[v.Type.Name()]; p != nil {
			return p
		}
		if v, _, ok = v.PartAt(addr); !ok {
			return nil
		}
	}
	return nil
}

// byType has the types of C libraries whose objects threads wait for.
var byType = map[string]*primitive{
	"pthread_mutex_t": mutex, "mtx_t": mutex, "pthread_cond_t": condition, "cnd_t": condition,
	"pthread_rwlock_t": rwlock, "pthread_barrier_t": barrier, "sem_t": semaphore,
}

// standing reports whether a thread waits at the call: if it is before it, the word still has
// the value that it expects.
func (r *reader) standing(thread int, call syscalls.Call) bool {
	regs, err := r.inspector.Target.View.Regs(thread)
	return err == nil && (!r.isSyscall(regs.RIP) || r.word(call.Args[0]) == uint32(call.Args[2]))
}

// primitiveOf returns the primitive that the innermost function of a stack which is known to
// wait belongs to, and the number of its frame. A function further out may say it more
// exactly: a channel waits by parking its thread.
func primitiveOf(frames []callstack.Frame) (found *primitive, frame int) {
	for i := range frames {
		name := strings.TrimLeft(frames[i].Function, "_")
		if p, ok := byName[name]; ok && found == nil {
			found, frame = p, i
		}
		for j := range byPart {
			if strings.Contains(frames[i].Function, byPart[j].part) && (found == nil || byPart[j].outer) {
				found, frame = &byPart[j].primitive, i
				break
			}
		}
	}
	return found, frame
}

var (
	mutex     = &primitive{"the mutex", mutexOf}
	condition = &primitive{"the condition variable", conditionOf}
	semaphore = &primitive{"the semaphore", semaphoreOf}
	rwlock    = &primitive{"the read-write lock", rwlockOf}
	barrier   = &primitive{"the barrier", barrierOf}
	join      = &primitive{"the end of", joinOf}
	once      = &primitive{"the initialization by another thread of", nil}
	goWork    = &primitive{"work for this thread of Go's runtime", nowhere}
)

// byName has the functions of C libraries that wait, without the underscores that their
// names begin with.
var byName = map[string]*primitive{
	"pthread_mutex_lock": mutex, "pthread_mutex_timedlock": mutex, "pthread_mutex_clocklock": mutex, "pthread_mutex_cond_lock": mutex,
	"pthread_mutex_lock_full": mutex, "mtx_lock": mutex, "mtx_timedlock": mutex,
	"pthread_cond_wait": condition, "pthread_cond_timedwait": condition, "pthread_cond_clockwait": condition, "pthread_cond_wait_common": condition,
	"cnd_wait": condition, "cnd_timedwait": condition,
	"sem_wait": semaphore, "sem_timedwait": semaphore, "sem_clockwait": semaphore, "new_sem_wait": semaphore, "new_sem_wait_slow64": semaphore,
	"pthread_rwlock_rdlock": rwlock, "pthread_rwlock_wrlock": rwlock, "pthread_rwlock_timedrdlock": rwlock, "pthread_rwlock_timedwrlock": rwlock,
	"pthread_rwlock_clockrdlock": rwlock, "pthread_rwlock_clockwrlock": rwlock,
	"pthread_barrier_wait": barrier,
	"pthread_join":         join, "pthread_timedjoin_np": join, "pthread_clockjoin_np": join, "pthread_clockjoin_ex": join, "thrd_join": join,
	"pthread_once": once, "pthread_once_slow": once, "cxa_guard_acquire": once,
	"runtime.notesleep": goWork, "runtime.notetsleep_internal": goWork, "runtime.lock2": {"the lock of Go's runtime", nil},
}

const rustHolder = "whose holder Rust does not record"

func heldBy(text string) func(r *reader, call syscalls.Call) object {
	return func(_ *reader, call syscalls.Call) object { return object{addr: call.Args[0], size: 4, held: text} }
}

// byPart has functions of Rust's and C++'s libraries by a part of their names.
var byPart = []struct {
	part string
	primitive
	outer bool // it describes what functions further in do
}{
	{"sync::mutex::futex::Mutex::lock_contended", primitive{"the mutex", heldBy(rustHolder)}, false},
	{"sync::rwlock::futex::RwLock::", primitive{"the read-write lock", heldBy(rustHolder)}, false},
	{"sync::condvar::futex::Condvar::wait", primitive{"the condition variable", nil}, false},
	{"sync::once::futex::Once::", *once, false},
	{"sync::barrier::Barrier::wait", primitive{"the barrier", nil}, true},
	{"std::thread::park", primitive{"unpark() of this thread", nowhere}, false},
	{"Parker::park", primitive{"unpark() of this thread", nowhere}, false},
	{"sync::mpsc::Receiver<", primitive{"a message in a channel", nowhere}, true},
	{"sync::mpsc::Sender<", primitive{"room in a channel", nowhere}, true},
	{"sync::mpsc::SyncSender<", primitive{"room in a channel", nowhere}, true},
	{"std::__atomic_futex_unsigned_base::_M_futex_wait", primitive{"the future", nil}, false},
	{"std::__detail::__platform_wait", primitive{"the atomic variable", nil}, false},
	{"std::__atomic_wait_address", primitive{"the atomic variable", nil}, false},
}

// mutexOf describes a mutex of a C library. Its futex is its first word in glibc, its second
// one in musl.
func mutexOf(r *reader, call syscalls.Call) object {
	const size, muslLock, muslOwner, muslNormal, typeMask, ownerOffset = 40, 4, 0x3fffffff, 0, 15, 8
	futex := call.Args[0]
	if futex%8 != muslLock {
		return r.owned(object{addr: futex, size: size}, int(int32(r.word(futex+ownerOffset))))
	}
	o := object{addr: futex - muslLock, size: size}
	if r.word(o.addr)&typeMask == muslNormal {
		o.held = "whose holder musl does not record"
		return o
	}
	return r.owned(o, int(r.word(futex)&muslOwner))
}

// owned adds the thread that an object says to be held by.
func (r *reader) owned(o object, thread int) object {
	switch {
	case thread <= 0:
		o.held = "held by no thread now"
	case r.threads[thread]:
		o.holder, o.held = thread, fmt.Sprintf("held by thread %d", thread)
	default:
		o.held = fmt.Sprintf("held by thread %d, which has ended", thread)
	}
	return o
}

// conditionOf describes a condition variable. Its futexes are at the end of it in glibc, in
// places that differ between versions.
func conditionOf(r *reader, call syscalls.Call) object {
	const size = 48
	return object{addr: r.begin(call.Args[0], size), size: size}
}

// semaphoreOf describes a semaphore of a C library, which begins with its futex.
func semaphoreOf(_ *reader, call syscalls.Call) object {
	return object{addr: call.Args[0], size: 32}
}

// barrierOf describes a barrier of glibc, whose second word is the futex. The futex of one of
// musl is on a stack.
func barrierOf(r *reader, call syscalls.Call) object {
	if r.isMusl() {
		return object{}
	}
	return object{addr: call.Args[0] &^ 7, size: 32}
}

// nowhere describes what has no object that a user knows.
func nowhere(*reader, syscalls.Call) object { return object{} }

// begin returns where the variable with a futex begins, and the address of the futex if
// that is not known.
func (r *reader) begin(futex uint64, size int64) uint64 {
	_, offset, ok := r.inspector.Program.Variable(futex)
	if ok && offset < uint64(size) {
		return futex - offset
	}
	return futex
}

// rwlockOf describes a read-write lock of a C library. In glibc threads wait for its third
// and fourth words; the one that writes is in its seventh one.
func rwlockOf(r *reader, call syscalls.Call) object {
	const size, muslWriter = 56, 0x7fffffff
	const phase, writers, writer, readerShift = 8, 12, 24, 3
	futex := call.Args[0]
	if r.isMusl() {
		o := object{addr: futex, size: size, held: "held by readers, which musl does not record"}
		if r.word(futex)&muslWriter == muslWriter {
			o.held = "held by a writer, which musl does not record"
		}
		return o
	}
	o := object{addr: futex - phase, size: size}
	if futex%8 == writers%8 {
		o.addr = futex - writers
	}
	if thread := r.word(o.addr + writer); thread != 0 {
		return r.owned(o, int(int32(thread)))
	}
	if n := r.word(o.addr) >> readerShift; n > 0 {
		o.held = fmt.Sprintf("held by %d readers, which glibc does not record", n)
	}
	return o
}

// joinOf describes the end of a thread. glibc waits for the word with its id to become 0.
func joinOf(r *reader, call syscalls.Call) object {
	if id := int(int32(r.word(call.Args[0]))); r.threads[id] {
		return object{holder: id}
	}
	return r.muslThread(call.Args[0])
}

// muslThread returns the thread of musl whose state is at an address, the zero value if it is
// that of none. Its struct begins with its own address and has the id before the state.
func (r *reader) muslThread(state uint64) object {
	const self, id = 56, 8
	if thread := int(int32(r.word(state - id))); r.threads[thread] && r.quad(state-self) == state-self {
		return object{holder: thread}
	}
	return object{}
}

// endOf returns the words for the end of a thread, 0 if it is not known which one.
func endOf(thread int) string {
	if thread == 0 {
		return "the end of a thread"
	}
	return fmt.Sprintf("the end of thread %d", thread)
}

// isMusl reports whether the C library is musl.
func (r *reader) isMusl() bool {
	if r.musl == nil {
		musl := false
		for _, im := range r.inspector.Program.Images() {
			musl = musl || strings.Contains(im.Path, "musl")
		}
		if !musl { // a static program
			_, err := r.inspector.Program.Lookup(r.ctx, "__init_libc")
			musl = err == nil
		}
		r.musl = &musl
	}
	return *r.musl
}
