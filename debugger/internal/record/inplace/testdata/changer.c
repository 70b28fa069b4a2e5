// changer executes functions at one address and replaces them: a function that continues
// in a second page, of which only the first byte is replaced, then the whole by mremap,
// then by madvise, which discards it.
#define _GNU_SOURCE
#include <signal.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { page = 4096 };

static char *map(void) {
	return mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// put writes mov eax, n; ret at an address.
static void put(char *at, int n) {
	mprotect(at, 6, PROT_READ | PROT_WRITE);
	memcpy(at, (char[]){'\xb8', (char)n, 0, 0, 0, '\xc3'}, 6);
	mprotect(at, 6, PROT_READ | PROT_EXEC);
}

static int call(char *at) { return ((int (*)(void))at)(); }

static sigjmp_buf back;

static void fault(int signal) {
	(void)signal;
	siglongjmp(back, 1);
}

int main(void) {
	char *code = map(), *other = map();
	// Decoding the return before the second page looks at that page, too.
	put(code, 1);
	memcpy((mprotect(code, page, PROT_READ | PROT_WRITE), code + page - 6), code, 6);
	mprotect(code, page, PROT_READ | PROT_EXEC);
	put(code + page, 9);
	int first = call(code + page - 6);
	put(code + page, 2);
	int second = call(code + page);
	put(other, 3);
	mremap(other, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, code + page);
	int third = call(code + page);
	put(code + page, 4);
	int fourth = call(code + page), fifth = 0;
	madvise(code + page, page, MADV_DONTNEED);
	signal(SIGSEGV, fault);
	if (!sigsetjmp(back, 1))
		fifth = call(code + page); // zeros are add [rax], al; to the end of the page
	printf("%d %d %d %d %d\n", first, second, third, fourth, fifth);
	return 0;
}
