//go:build !linux

package kernel

import (
	"fmt"
	"strconv"
)

func errorText(number int) string { return fmt.Sprintf("error %d", number) }

func signalText(number int) string { return strconv.Itoa(number) }
