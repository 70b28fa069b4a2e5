//go:build !linux

package spool

import (
	"math"
	"os"
)

func createUnnamed(folder string) (*os.File, error) { return createNamed(folder) }

func sizeLimit() int64 { return math.MaxInt64 }
