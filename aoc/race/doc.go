// Package race compares how fast models solved puzzles: statistics for each puzzle,
// medals and ranks, head-to-head results, tables, and plots as SVG and PNG.
//
//	r := race.New(runs)
//	fmt.Print(r.Text())
//	svg := r.Bars().SVG()
//
// A model's time for a part of a puzzle is the median of its successful runs. The
// models of a part are ranked by that time; equal times share a rank. The first
// three ranks earn a medal. As on the site's leaderboards, the winner among n models
// earns n points, the next one n-1, and so on; points decide the overall rank.
//
// # Concurrency
//
// A [Race] is immutable and may be used by several goroutines.
package race
