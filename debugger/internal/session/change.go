package session

// WriteMemory writes memory of the process. If there is a history, it records
// the write.
func (s *Session) WriteMemory(addr uint64, data []byte) (int, error) {
	if s.Recorder == nil {
		return s.Process.WriteMemory(addr, data)
	}
	n, err := s.Recorder.WriteMemory(addr, data)
	s.mu.Lock()
	s.now.History = s.HistoryPosition()
	s.mu.Unlock()
	return n, err
}

// SelectThread makes another thread the current one.
func (s *Session) SelectThread(thread int) error {
	if err := s.View.SetCurrentThread(thread); err != nil {
		return err
	}
	reason := s.State().Reason
	if thread != s.State().Thread {
		reason = Reasons[s.CurrentStop().Why]
	}
	s.RecordStop(s.CurrentStop())
	s.SetReason(reason)
	return nil
}

// SetReason changes why the process is stopped.
func (s *Session) SetReason(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Reason = reason
}
