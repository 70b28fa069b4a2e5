package folders

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Given returns the folders of a flag, else those of a list as in PATH, else
// the working directory unless it is the root. They are absolute and exist.
func Given(given []string, list string) ([]string, error) {
	if len(given) == 0 {
		given = filepath.SplitList(list)
	}
	if len(given) == 0 {
		dir, err := os.Getwd()
		if err != nil || filepath.Dir(dir) == dir {
			return nil, nil //nolint:nilerr // without a working directory there is no folder
		}
		given = []string{dir}
	}
	var all []string
	for _, dir := range given {
		full, err := folder(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, full)
	}
	return all, nil
}

func folder(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("it has no name")
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(full)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no folder", full)
	}
	return full, nil
}
