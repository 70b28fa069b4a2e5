package ptrace

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A RseqArea is the memory that a thread has registered by rseq(2), which the kernel
// writes when it preempts or migrates the thread.
type RseqArea struct {
	Address   uint64 // 0 if there is none
	Size      uint32
	Signature uint32
	_, _      uint32
}

// RseqArea returns the area of a thread.
func (t *Tracer) RseqArea(tid int) (a RseqArea, err error) {
	err = exchange("ask", reqRseqConfig, tid, unsafe.Sizeof(a), unsafe.Pointer(&a))
	if errors.Is(err, unix.EIO) || errors.Is(err, unix.EINVAL) {
		return RseqArea{}, nil // the kernel does not support the request
	}
	return a, err
}
