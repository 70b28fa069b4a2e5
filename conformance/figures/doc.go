// Package figures is what the programs that measure have in common: numbers as a
// page shows them, the machine they come from, and reports that are kept so that a
// page can be drawn anew.
package figures
