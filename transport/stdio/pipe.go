package stdio

import "os"

// usualPipe is the default capacity of a pipe of Linux
// (pipe(7)), and widePipe what anybody may ask for. A message that does not
// fit makes both sides wait for each other again and again.
const (
	usualPipe = 64 << 10
	widePipe  = 1 << 20
)

// A pipe is a file that is widened when the first long message passes, if it is
// a pipe. Until then it takes no more of what its user may have in pipes.
type pipe struct {
	*os.File
	wide bool
}

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.File.Read(b)
	p.widen(n)
	return n, err
}

func (p *pipe) Write(b []byte) (int, error) {
	p.widen(len(b))
	return p.File.Write(b)
}

// widen gives the pipe room for n bytes, if it has not. Each side has one user
// at a time.
func (p *pipe) widen(n int) {
	if n < usualPipe || p.wide {
		return
	}
	p.wide = true
	if conn, err := p.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { setPipeSize(fd, widePipe) }) // a closed file says so when it is used
	}
}
