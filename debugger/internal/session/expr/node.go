package expr

// A node is a part of an expression.
type node interface {
	eval(e *evaluator) (Value, error)
}

type (
	// nameNode is a variable, function, enumerator or constant.
	nameNode struct{ name string }

	registerNode struct{ name string }

	literalNode struct{ value Value }

	// numberNode is a whole number, whose type depends on the language.
	numberNode struct {
		number         uint64
		unsigned, long bool
		decimal        bool
	}

	memberNode struct {
		of    node
		name  string
		arrow bool // behind ->
	}

	indexNode struct{ of, index node }

	// sliceNode is the elements of an array from an index on, up to another one;
	// nil stands for the ends.
	sliceNode struct{ of, from, to node }

	// repeatNode is count objects next to each other, of which one is the first.
	repeatNode struct{ first, count node }

	unaryNode struct {
		op string
		of node
	}

	binaryNode struct {
		op          string
		left, right node
	}

	// callNode is a call of a function, or of a method of an object.
	callNode struct {
		function node // of a function, or of a pointer to one
		of       node // of a method: the object
		method   string
		args     []node
	}

	// conditionalNode is the conditional operator ?:.
	conditionalNode struct{ condition, yes, no node }

	castNode struct {
		to typeName
		of node
	}

	// sizeofNode is sizeof of an expression, of a type, or of a name that may
	// be either; the expression is tried first.
	sizeofNode struct {
		of node
		to *typeName
	}

	// lengthNode is len or cap of an expression.
	lengthNode struct {
		name string
		of   node
	}
)

// A typeName is a type as it was written.
type typeName struct {
	name     string // "unsigned long", "app::point"
	tagged   bool   // written with struct, union, enum or class
	pointers int
}
