package document

import "syscall"

// openFlags keep a pipe from making open wait for its writer.
const openFlags = syscall.O_NONBLOCK
