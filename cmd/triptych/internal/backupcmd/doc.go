// Package backupcmd copies all data of the program: triptych backup, triptych restore
// and triptych migrate.
package backupcmd
