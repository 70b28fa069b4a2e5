// wild is ended by a signal as its argument says: load, store, call, return,
// stack, copy, aligned and halt make the processor refuse an instruction, null
// and sent do not.
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static volatile uintptr_t wild = 0x4141414141414141;
static long there[4] __attribute__((aligned(16)));

struct node {
	long value;
	struct node *next;
	void (*call)(void);
};

static struct node node;

int main(int argc, char **argv) {
	const char *how = argc > 1 ? argv[1] : "";
	struct node *n = (struct node *)wild;
	node.call = (void (*)(void))wild;
	if (strcmp(how, "load") == 0)
		return n->next != NULL;
	if (strcmp(how, "store") == 0)
		n->value = 1;
	if (strcmp(how, "call") == 0)
		node.call();
	if (strcmp(how, "return") == 0)
		__asm__ volatile("push %0; ret" : : "r"(wild));
	if (strcmp(how, "stack") == 0)
		__asm__ volatile("mov %0, %%rbp; mov -8(%%rbp), %%eax" : : "r"(wild));
	if (strcmp(how, "copy") == 0)
		__asm__ volatile("rep movsb" : : "S"(wild), "D"(there), "c"(8));
	if (strcmp(how, "aligned") == 0)
		__asm__ volatile("movaps (%0), %%xmm0" : : "r"((char *)there + 8));
	if (strcmp(how, "halt") == 0)
		__asm__ volatile("hlt");
	if (strcmp(how, "null") == 0)
		*(volatile char *)0 = 1;
	return raise(SIGSEGV);
}
