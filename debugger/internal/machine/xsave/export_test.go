package xsave

// OfMachine is Of on a processor with another layout, and OwnOf is Own.
var (
	OfMachine = of
	OwnOf     = owned
)
