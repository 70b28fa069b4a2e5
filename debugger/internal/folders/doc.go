// Package folders says below which folders of the disk a caller may open files.
package folders
