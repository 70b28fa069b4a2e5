package spool

// CreateNamed creates a file as Create does where each file has a name first.
var CreateNamed = createNamed
