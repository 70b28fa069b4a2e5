// Package clients knows how programs that speak the Model Context Protocol are
// told about a server: which file they read, where it lies on each system,
// and what an entry in it looks like.
//
// The facts are one table, [All]. [Client.Render] shows the text a person
// would paste; [Client.Merge] puts the same entry into a file that is already
// there and leaves everything else in it as it was: other servers, unknown
// settings, comments, the order of keys, indentation and line endings. A file
// that is not valid is refused and stays untouched.
//
//	c, err := clients.Find("vscode")
//	path, err := c.Path(clients.Project, where)
//	changed, err := clients.Edit(path, func(old []byte) ([]byte, error) {
//		return c.Merge(old, entry)
//	})
//
// Nothing here keeps state; all functions may be called from any goroutine.
package clients
