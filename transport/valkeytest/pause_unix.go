//go:build unix

package valkeytest

import "syscall"

// Pause makes the server hang: it takes connections and answers none, until the
// returned function is called.
func (s *Server) Pause() (resume func()) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	return func() {
		if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			s.t.Error(err)
		}
	}
}
