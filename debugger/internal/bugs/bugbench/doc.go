// Bugbench measures how well similar bugs are found, on fixes that changed several
// places of public projects in the same way.
//
//	bugbench mine CLONE... > testdata/fixes.tsv
//	bugbench pairs CLONE... > pairs.tsv
//	bugbench learn CLONES
//	bugbench run [-half tuning|reporting] [-only METHODS] [-fixes FILE] CLONES
//
// A fix is data: the name of a project, the id of a commit, and the places that the
// commit changed. No code is copied. CLONES is a folder with a bare clone for each
// project, named owner+name or owner+name/repo.
//
// # What counts as a fix
//
// Mine takes a commit with one parent if its message has a word for a fault and none
// for tidying up, it changes at most 12 source files of one language outside of tests
// and bundled code, in at most 40 places, and at least two places, 15 lines or more
// apart, changed alike: each by at most 8 lines, one of them no comment, with at least 4
// different words, and at least 0.6 of the changed words in common with the first of
// them. It takes at most 20 fixes of a project, spread evenly over its history.
//
// # What counts as a pair
//
// Pairs takes two commits of the same sort, with at most 8 places, a day or more apart and
// of different subjects, of which the later one changed a place like the earlier one did:
// a place that stood there, with its two lines before and after, in the parent of the
// earlier one. The places have a word of 4 letters or more in common that at most 40 places
// of the history have, and neither imports, defines, declares or only comments. The query
// is the first place; the answer is the second.
//
// # What is measured
//
// The tree is the parent commit. The query is the file and line of the first place.
// A finding is right if it is in the file of another place of the fix and at most 15
// lines away. Beside the place, the patch is asked: the change of the first place, or all
// of the earlier commit of a pair. Fixes whose commit id begins with an even digit are the
// tuning half; the others are looked at to report only. Testdata/judged.tsv has 50 of the
// first five answers to the latter, judged by reading. Answers that a method calls likely
// are measured by themselves, too; the baselines do not say how sure they are. Pairs are
// divided by project: testdata/pairs_tuning.tsv and pairs_reporting.tsv have up to seven
// of each project.
//
// # What is learned
//
// Learn prints the weights of the ranking, from a softmax over the places that the
// searches of the tuning half compare, and the logistic function of the confidence. It
// measures weights on each project that were learned from the others.
package main
