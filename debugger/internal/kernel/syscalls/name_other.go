//go:build !linux

package syscalls

import (
	"fmt"
	"strconv"
)

func errorText(number int) string { return fmt.Sprintf("error %d", number) }

func signalText(number int) string { return strconv.Itoa(number) }
