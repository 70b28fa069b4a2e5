package project

import (
	"fmt"
	"slices"
)

// Revert gives files the content that was written last, from the rulesets at the
// revisions of the lock. Without files, all that were changed here are reverted.
func (p *Project) Revert(locked Set, files []string) (r Report, err error) {
	plan, err := p.Plan(locked, nil)
	if err != nil {
		return r, err
	}
	for _, file := range files {
		if !slices.ContainsFunc(plan.Items, func(i Item) bool { return i.Path == file && i.Locked.Path != "" }) {
			return r, fmt.Errorf("%s was not written by triptych", file)
		}
	}
	var chosen []Item
	for _, i := range plan.Items {
		wanted := len(files) == 0 || slices.Contains(files, i.Path)
		if !wanted || i.LeftOut || i.Locked.Path == "" || i.Exists && Sum(i.Have) == i.Locked.Sum {
			continue
		}
		if i.Content == nil || Sum(i.Content) != i.Locked.Sum {
			return r, fmt.Errorf("%s: what was written last cannot be made again: another selection or version of triptych wrote it", i.Path)
		}
		chosen = append(chosen, i)
	}
	return p.Apply(Plan{Items: chosen}, Theirs)
}
