// Package limits holds the packages that bound what a caller may use.
//
//	budget    memory for files that are read
//	worktime  time to replay and search
//	spool     bytes in a file without a name
//	filecache what took time to find out, from one run to the next
package limits
