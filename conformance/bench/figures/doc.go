// Package figures is shared by the benchmark programs: it formats numbers as a
// page shows them, the machine they come from, and reports that are kept so that a
// page can be drawn anew.
package figures
