// Package project keeps the rule files of a project equal to rulesets.
//
//	p, err := project.Open(dir)
//	plan, err := p.Plan(rulesets)
//	for _, item := range plan.Items {
//		fmt.Println(item.State, item.Path)
//	}
//	report, err := p.Apply(plan, project.Stop)
//
// A project says in [SelectionFile] which rulesets it wants for which clients, and
// records in [LockFile] which files were written from which revisions. Both are for
// people to read and for git to keep.
//
// # States
//
// Each file, or block in a shared file, has three hashes: of the content that the
// rulesets give it, of the content that was written last, from the lock, and of the
// content on disk. They determine its [State]. Files that were changed in the
// project stop [Project.Apply] before it writes anything, unless the caller chose a
// side. A file of others is never replaced, and stops only itself.
//
// # Files
//
// All paths stay below the project's folder, and no link is followed: neither a file
// nor a folder on the way to it may be one. A file is replaced by renaming a new one,
// so that an interruption leaves the old content or the new one. The lock names the
// new content before the first file is written; what an interrupted run wrote is
// not mistaken for an edit. Files are not synced to disk one by one: after a power
// cut a run may have to be repeated.
package project
