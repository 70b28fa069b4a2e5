/* Has parts of a secret where the whole is not: in registers, in a copy that is half done,
   and on the stack, when all of it is gone. The token has the form of one of GitHub, and
   opens nothing. */
#include <stdlib.h>
#include <string.h>

#define TOKEN "gh" "p_16C7e42F292c6912E7710c838347Ae178B4a"

static char half[64];

__attribute__((noinline)) void copied(void) { __asm__ volatile("" : : : "memory"); }
__attribute__((noinline)) void gone(void) { __asm__ volatile("" : : : "memory"); }

/* Stops with parts of the text in registers, and its address in rdi. */
__asm__(".globl load\n"
	"load:\n"
	"	movq 6(%rdi), %rax\n"
	"	movq 14(%rdi), %rdx\n"
	"	bswap %rdx\n"
	"	movdqu 10(%rdi), %xmm7\n"
	".globl loaded\n"
	"loaded:\n"
	"	ret\n");
void load(const char *text);

__attribute__((noinline)) static void copy(char *to, const char *from, int n) {
	while (n-- > 0)
		*to++ = *from++;
}

int main(void) {
	char part[64] = "kept: ";
	char *text = malloc(100000), *whole = text + 50000; /* far from other pages */
	if (text == NULL)
		return 1;
	strcpy(whole, TOKEN);
	load(whole);
	copy(half, whole, 20);
	copied();
	copy(part + 6, whole + 9, 20);
	memset(text, 0, 100000);
	memset(half, 0, sizeof half);
	gone();
	return part[6] == 0;
}
