package ruleset

// Match reports whether the whole of name matches pattern, in which * stands
// for any run of characters, ? for any single one, and everything else for
// itself. It takes linear space and at most len(pattern)×len(name) steps.
func Match(pattern, name string) bool {
	p, n := 0, 0
	star, mark := -1, 0 // the last * seen, and where in name its run began
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
