package proc

// A Syscall is a system call at which a thread has stopped.
type Syscall struct {
	Number   uint64
	Args     [6]uint64
	Returned bool  // the thread has returned from it
	Result   int64 // if Returned; an error is -errno
}
