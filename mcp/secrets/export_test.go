package secrets

// Keywords returns the keywords of all rules.
func Keywords() (all []string) {
	for _, r := range rules() {
		all = append(all, r.keywords...)
	}
	return all
}
