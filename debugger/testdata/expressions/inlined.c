// An argument that the compiler removes where the function is inlined, beside a global
// variable of its name, and a static variable of the function.
#include <stdio.h>

int gone = 42;
volatile int source = 3;

__attribute__((noinline)) static void marker(void) { __asm__ volatile(""); }

__attribute__((always_inline)) static inline int inner(int kept, int gone)
{
	static volatile int calls = 10;
	extern volatile int source;
	calls++;
	marker();
	return kept + calls;
}

int main(void)
{
	int sum = inner(source, source * 3);
	printf("%d %d\n", sum, gone);
	return 0;
}
