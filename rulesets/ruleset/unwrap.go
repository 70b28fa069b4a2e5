package ruleset

// As returns the first of a store and the stores that it wraps which is a T, such as an
// [Inspector] or a [FileStore]. A store that wraps another has a method Unwrap() Store.
func As[T any](s Store) (found T, ok bool) {
	for s != nil {
		if found, ok = s.(T); ok {
			return found, true
		}
		wrapper, wraps := s.(interface{ Unwrap() Store })
		if !wraps {
			break
		}
		s = wrapper.Unwrap()
	}
	return found, false
}
