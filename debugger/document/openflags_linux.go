package document

import "syscall"

// openFlags makes open return at once for a pipe without a writer.
const openFlags = syscall.O_NONBLOCK
