package datatype

import (
	"cmp"
	"math/big"
	"strconv"
)

// maxDigits limits the digits of years and of the parts of durations, whose order takes
// arithmetic.
const maxDigits = 10_000

// An integer is an exact integer. It is in small unless it is too large for that.
type integer struct {
	small int64
	large *big.Int // nil if the value is in small
}

// parseInteger returns the value of digits, at most maxDigits of them. No digits are zero.
func parseInteger(digits string) integer {
	if len(digits) <= 18 {
		n := int64(0)
		for _, d := range []byte(digits) {
			n = n*10 + int64(d-'0')
		}
		return integer{small: n}
	}
	n, _ := new(big.Int).SetString(digits, 10)
	return integer{large: n}
}

func (i integer) big() *big.Int {
	if i.large != nil {
		return i.large
	}
	return big.NewInt(i.small)
}

func (i integer) plus(j integer) integer {
	if sum := i.small + j.small; i.large == nil && j.large == nil && (i.small^sum)&(j.small^sum) >= 0 {
		return integer{small: sum}
	}
	return integer{large: new(big.Int).Add(i.big(), j.big())}
}

// times returns the product with a factor below 2^31.
func (i integer) times(factor int64) integer {
	if i.large == nil && i.small < 1<<31 && i.small > -1<<31 {
		return integer{small: i.small * factor}
	}
	return integer{large: new(big.Int).Mul(i.big(), big.NewInt(factor))}
}

func (i integer) negated() integer {
	if i.large == nil {
		return integer{small: -i.small}
	}
	return integer{large: new(big.Int).Neg(i.large)}
}

// over returns the quotient and the rest of the division by a positive number. The rest
// is not negative.
func (i integer) over(divisor int64) (integer, int64) {
	if i.large == nil {
		q, r := i.small/divisor, i.small%divisor
		if r < 0 {
			q, r = q-1, r+divisor
		}
		return integer{small: q}, r
	}
	q, r := new(big.Int).DivMod(i.large, big.NewInt(divisor), new(big.Int))
	return integer{large: q}, r.Int64()
}

func (i integer) compare(j integer) int {
	if i.large == nil && j.large == nil {
		return cmp.Compare(i.small, j.small)
	}
	return i.big().Cmp(j.big())
}

func (i integer) append(to []byte) []byte {
	if i.large == nil {
		return strconv.AppendInt(to, i.small, 10)
	}
	return i.large.Append(to, 10)
}
