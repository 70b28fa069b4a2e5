package command

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// valuesMark is the annotation of a flag with the values that shells offer for it.
const valuesMark = "triptych_values"

// Offer names the values of a flag that shells offer, where its noun does not have them.
func Offer[S ~string](set *pflag.FlagSet, flag string, values []S) {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	annotate(set.Lookup(flag), valuesMark, words)
}

// annotate adds an annotation to a flag.
func annotate(f *pflag.Flag, mark string, words []string) {
	all := map[string][]string{mark: words}
	maps.Copy(all, f.Annotations) // which may be nil
	f.Annotations = all
}

// offeredFor returns the values of a flag and how a shell treats them, by its noun: words
// such as text|json, a file, a folder, or anything.
func offeredFor(f *pflag.Flag, typed string) ([]string, cobra.ShellCompDirective) {
	noun, _ := pflag.UnquoteUsage(f)
	values := f.Annotations[valuesMark]
	switch {
	case noun == "file":
		return nil, cobra.ShellCompDirectiveDefault
	case noun == "folder":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case strings.Contains(noun, "|"):
		values = strings.Split(noun, "|")
	}
	if f.Value.Type() != "stringSlice" {
		return values, cobra.ShellCompDirectiveNoFileComp
	}
	return nextOfList(values, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// nextOfList returns the values that can follow the last comma of what was typed.
func nextOfList(values []string, typed string) []string {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	given := strings.Split(before, ",")
	var next []string
	for _, v := range values {
		if !slices.Contains(given, v) {
			next = append(next, before+v)
		}
	}
	return next
}

// completeFlags lets shells complete the values of the flags of a command and of those below it.
func completeFlags(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			return
		}
		_ = c.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return offeredFor(f, typed)
		}) // it fails for a flag that is not there, or has one
	})
	for _, sub := range c.Commands() {
		completeFlags(sub)
	}
}

// completer completes the arguments of a row. A value that ends with "=" is not whole.
func completer(row Command) cobra.CompletionFunc {
	return func(c *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
		case row.Complete != nil && len(before) < row.Max:
			values, directive := row.Complete(c.Context(), before), cobra.ShellCompDirectiveNoFileComp
			if slices.ContainsFunc(values, isBegun) {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			return values, directive
		case row.Max == 0:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// isBegun reports whether more has to follow a value, which may have a description.
func isBegun(value string) bool {
	word, _, _ := strings.Cut(value, "\t")
	return strings.HasSuffix(word, "=")
}
