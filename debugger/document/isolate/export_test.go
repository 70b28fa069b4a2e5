package isolate

// Kill ends the process that runs now as the system does.
func (r *Remote) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.current.cmd.Process.Kill() // it may have ended
}
