package symbols

import (
	"debug/elf"
	"path/filepath"
)

// Linked returns the image of a path and the images that it was linked with, directly or
// through others. They stay mapped as long as the program runs.
func (p *Program) Linked(path string) map[*Image]bool {
	byName := map[string]*Image{}
	var queue []*Image
	for _, im := range p.Images() {
		byName[filepath.Base(im.Path)] = im
		for _, name := range im.main.Dynamic(elf.DT_SONAME) {
			byName[name] = im
		}
		if im.Path == path {
			queue = append(queue, im)
		}
	}
	linked := map[*Image]bool{}
	for len(queue) > 0 {
		im := queue[0]
		queue = queue[1:]
		if im == nil || linked[im] {
			continue
		}
		linked[im] = true
		for _, name := range im.main.Dynamic(elf.DT_NEEDED) {
			queue = append(queue, byName[filepath.Base(name)])
		}
	}
	return linked
}

// Complete reports whether all libraries that the images were linked with are
// mapped. They are not while the program is being loaded; names may then be
// missing that will be known later.
func (p *Program) Complete() bool {
	images := p.Images()
	there := map[string]bool{}
	for _, im := range images {
		there[filepath.Base(im.Path)] = true
		for _, name := range im.main.Dynamic(elf.DT_SONAME) {
			there[name] = true
		}
	}
	for _, im := range images {
		for _, name := range im.main.Dynamic(elf.DT_NEEDED) {
			if !there[filepath.Base(name)] {
				return false
			}
		}
	}
	return true
}
