// restless executes instructions that are not translated, and code that it changes, while it
// writes a line for each of 300 rounds.
#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

int main(void) {
	char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long long last = 0;
	setvbuf(stdout, 0, _IOLBF, 0);
	for (int n = 0; n < 300; n++) {
		int sum = 0, backwards = 0;
		for (int k = 0; k < 10; k++) {
			unsigned a, b, c, d;
			__cpuid(0, a, b, c, d);
			unsigned long long now = __rdtsc();
			backwards += now < last;
			last = now;
			memcpy(code, "\xb8", 1); // mov eax, n+k; ret
			memcpy(code + 1, &(int){n + k}, 4);
			memcpy(code + 5, "\xc3", 1);
			sum += ((int (*)(void))code)();
		}
		printf("%d %d\n", sum, backwards);
	}
	return 0;
}
