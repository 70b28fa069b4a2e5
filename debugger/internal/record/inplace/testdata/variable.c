// variable changes code that it may write and execute, without a system call: a function at
// one address 2000 times, the operand of the next instruction but one behind a jump, a loop
// that changes its own body, and a function that crosses into a second page.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { page = 4096 };

static int call(void *at) { return ((int (*)(void))at)(); }

// put writes mov eax, n; ret at an address.
static void put(char *at, int n) {
	*at = '\xb8';
	memcpy(at + 1, &n, sizeof n);
	at[5] = '\xc3';
}

int main(void) {
	char *code = mmap(0, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;
	for (int n = 0; n < 2000; n++) {
		put(code, n);
		sum += call(code);
	}
	printf("%ld\n", sum); // 1999 * 2000 / 2
	// mov dword [rip+3], 7; jmp +0; mov eax, 1; ret
	memcpy(code + 64, "\xc7\x05\x03\0\0\0\x07\0\0\0\xeb\0\xb8\1\0\0\0\xc3", 18);
	printf("%d\n", call(code + 64));
	// xor eax, eax; mov ecx, 10; 1: add eax, 1; inc byte [rip-5]; dec ecx; jnz 1b; ret
	memcpy(code + 128, "\x31\xc0\xb9\x0a\0\0\0\x83\xc0\1\xfe\x05\xf9\xff\xff\xff\xff\xc9\x75\xf3\xc3", 21);
	printf("%d\n", call(code + 128)); // 1 + 2 + … + 10
	for (int n = 0, at = page - 5; n < 5; n++, at++) {
		put(code + at, n);
		printf("%d ", call(code + at));
		put(code + at, n + 10);
		printf("%d ", call(code + at));
	}
	puts("");
	return 0;
}
