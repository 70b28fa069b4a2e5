package session

// WatchOutput calls changed with the id of a session whenever its launched
// program has written something, until stop is called.
func (r *Registry) WatchOutput(changed func(id string)) (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outputChanged = changed
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.outputChanged = nil
	}
}

// tellOutput reports that the program of a session has written something.
func (r *Registry) tellOutput(id string) {
	r.mu.Lock()
	changed := r.outputChanged
	r.mu.Unlock()
	if changed != nil {
		changed(id)
	}
}
