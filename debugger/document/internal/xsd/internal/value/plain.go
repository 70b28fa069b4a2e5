package value

// plain reports whether a value is one of the usual forms of a type, found by reading
// its bytes once. A value that is not may still be valid: ValidateBuiltin then looks
// at it in full.
func plain(value, builtinLocal string) bool {
	switch builtinLocal {
	case "decimal":
		return plainDecimal(value)
	case "integer":
		return plainInteger(value)
	case "date":
		return plainDate(value)
	case "dateTime":
		return len(value) > len(dateForm) && plainDate(value[:len(dateForm)]) && value[len(dateForm)] == 'T' && plainTime(value[len(dateForm)+1:])
	case "time":
		return plainTime(value)
	case "language":
		return plainLanguage(value)
	case "NCName", "ID", "IDREF", "ENTITY", "Name", "NMTOKEN":
		return plainName(value)
	case "double", "float":
		return plainDecimal(value)
	}
	return plainRange(value, builtinLocal)
}

// plainDecimal reports whether a value is digits, perhaps with a minus before and a
// point between.
func plainDecimal(value string) bool {
	whole := digits(unsigned(value))
	rest := unsigned(value)[whole:]
	if whole == 0 || rest == "" {
		return whole > 0
	}
	return rest[0] == '.' && digits(rest[1:]) == len(rest)-1
}

// plainInteger reports whether a value is digits, perhaps with a minus before.
func plainInteger(value string) bool {
	value = unsigned(value)
	return value != "" && digits(value) == len(value)
}

func unsigned(value string) string {
	if value != "" && value[0] == '-' {
		return value[1:]
	}
	return value
}

// digits returns the number of digits at the start of a text.
func digits(text string) int {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}

// maxPlainDigits is the number of digits that always fit into an int64.
const maxPlainDigits = 18

// smallRanges holds the types of integers with bounds, for numbers of few digits.
var smallRanges = map[string]struct{ min, max int64 }{
	"byte":               {-1 << 7, 1<<7 - 1},
	"short":              {-1 << 15, 1<<15 - 1},
	"int":                {-1 << 31, 1<<31 - 1},
	"long":               {-1 << 63, 1<<63 - 1},
	"unsignedByte":       {0, 1<<8 - 1},
	"unsignedShort":      {0, 1<<16 - 1},
	"unsignedInt":        {0, 1<<32 - 1},
	"unsignedLong":       {0, 1<<63 - 1},
	"nonNegativeInteger": {0, 1<<63 - 1},
	"nonPositiveInteger": {-1 << 63, 0},
	"positiveInteger":    {1, 1<<63 - 1},
	"negativeInteger":    {-1 << 63, -1},
}

// plainRange reports whether a value is an integer of few digits in the range of a type.
func plainRange(value, builtinLocal string) bool {
	bounds, ok := smallRanges[builtinLocal]
	if !ok || !plainInteger(value) || len(value) > maxPlainDigits {
		return false
	}
	n := number(unsigned(value))
	if value[0] == '-' {
		n = -n
	}
	return bounds.min <= n && n <= bounds.max
}

// number returns the value of at most maxPlainDigits digits.
func number(text string) (n int64) {
	for i := range len(text) {
		n = n*10 + int64(text[i]-'0')
	}
	return n
}

const (
	dateForm = "0000-00-00"
	timeForm = "00:00:00"
)

// like reports whether a text has the form: digits for 0, and all else as it is.
func like(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := range len(text) {
		if form[i] != '0' && text[i] != form[i] || form[i] == '0' && (text[i] < '0' || text[i] > '9') {
			return false
		}
	}
	return true
}

// plainDate reports whether a value is a date of four digits for the year, not zero,
// of a day that every year's month has, and without a time zone.
func plainDate(value string) bool {
	if !like(value, dateForm) || value[:4] == "0000" {
		return false
	}
	month, day := number(value[5:7]), number(value[8:])
	return 1 <= month && month <= 12 && 1 <= day && day <= 28
}

// plainTime reports whether a value is a time of day before 24:00:00 in whole seconds,
// perhaps of UTC.
func plainTime(value string) bool {
	if value != "" && value[len(value)-1] == 'Z' {
		value = value[:len(value)-1]
	}
	return like(value, timeForm) && number(value[:2]) < 24 && number(value[3:5]) < 60 && number(value[6:]) < 60
}

// maxPlainLanguage is the largest length of a primary subtag.
const maxPlainLanguage = 8

// plainLanguage reports whether a value is a language without subtags.
func plainLanguage(value string) bool {
	if value == "" || len(value) > maxPlainLanguage {
		return false
	}
	for i := range len(value) {
		if !letter(value[i]) {
			return false
		}
	}
	return true
}

// plainName reports whether a value is a name of ASCII letters, digits, and the
// characters -._ with a letter or _ first.
func plainName(value string) bool {
	if value == "" || !letter(value[0]) && value[0] != '_' {
		return false
	}
	for i := range len(value) {
		c := value[i]
		if !letter(c) && c != '_' && c != '-' && c != '.' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
