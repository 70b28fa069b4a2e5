//go:build !linux

package features

func (m *Machine) examine() {}
