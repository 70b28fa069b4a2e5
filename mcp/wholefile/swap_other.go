//go:build !linux

package wholefile

// exchange never does it here: there is no lease to have a spare alone with.
func exchange(string, string, []byte) (bool, error) { return false, nil }

func keep(string, string) {}
