package findings

// OpenLimited is Open with another limit for the folder.
func OpenLimited(folder string, digest []byte, limit int64) *Store {
	s := Open(folder, digest)
	s.limit = limit
	return s
}
