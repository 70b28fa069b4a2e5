//go:build !amd64

package cpuid

// cpuid knows nothing on other processors.
func cpuid(uint32, uint32) (eax, ebx, ecx, edx uint32) { return 0, 0, 0, 0 }
