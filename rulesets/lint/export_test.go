package lint

// SecretKeywords returns the keywords of all rules for secrets.
func SecretKeywords() (all []string) {
	for _, r := range secretRules() {
		all = append(all, r.Keywords...)
	}
	return all
}
