package personal

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxAnswer limits the length of an answer, in bytes.
const maxAnswer = 200

var (
	// float matches numbers as programs print floats. 12345e67 is none: it could be the
	// hexadecimal digits that some puzzles ask for.
	float = regexp.MustCompile(`^[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$|^[+-]?[0-9]+[eE][+-][0-9]{1,4}$`)
	// numpy matches the numbers of numpy as Python shows them, such as np.int64(5).
	numpy = regexp.MustCompile(`^(?:np|numpy)\.[a-z0-9_]+\(([^()]*)\)$`)
	// bigInt matches whole numbers as JavaScript shows a BigInt.
	bigInt = regexp.MustCompile(`^-?[0-9]+n$`)
)

// nothings are the words that programs print instead of an answer, in lower case.
var nothings = []string{
	"true", "false", "none", "null", "nil", "<nil>", "undefined", "nothing",
	"nan", "-nan", "inf", "+inf", "-inf", "infinity", "-infinity", "[object object]",
}

// cleanAnswer returns the text to submit for what a program has printed: white space
// and quotes around it are removed, and a float with a whole value becomes a whole
// number. It returns a [RefusedError] if the text cannot be the answer to any puzzle:
// those are whole numbers, words, and lists of them with commas.
func cleanAnswer(text string) (string, error) {
	answer := strings.TrimSpace(text)
	if n := len(answer); n >= 2 && (answer[0] == '"' || answer[0] == '\'') && answer[n-1] == answer[0] {
		answer = strings.TrimSpace(answer[1 : n-1])
	}
	if m := numpy.FindStringSubmatch(answer); m != nil {
		answer = m[1]
	}
	switch {
	case answer == "":
		return "", refuse("it is empty")
	case len(answer) > maxAnswer:
		return "", refuse("it has more than %d bytes", maxAnswer)
	case slices.Contains(nothings, strings.ToLower(answer)):
		return "", refuse("%s is what a program prints that has found no answer", answer)
	case strings.ContainsAny(answer, "[](){}<>\"'"):
		return "", refuse("%q is a list or an object: give the value in it", answer)
	case strings.ContainsFunc(answer, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return "", refuse("%q has white space in it: give one word or number", answer)
	case bigInt.MatchString(answer):
		return strings.TrimSuffix(answer, "n"), nil
	case float.MatchString(answer):
		return wholeNumber(answer)
	}
	return answer, nil
}

// wholeNumber returns the digits of a float that has a whole value.
func wholeNumber(text string) (string, error) {
	n, ok := new(big.Rat).SetString(text)
	if !ok || !n.IsInt() {
		return "", refuse("%s is not a whole number", text)
	}
	digits := n.Num().String()
	if len(digits) > maxAnswer {
		return "", refuse("%s has more than %d digits", text, maxAnswer)
	}
	return digits, nil
}
