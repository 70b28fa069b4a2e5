//go:build !linux

package machine

func (m *Machine) examine() {}
