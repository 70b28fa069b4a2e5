// Reads a list through a pointer that a write beyond an array has bent. What is read there
// was written long before, and is right.
#include <stdio.h>

struct node {
	struct node *next;
	long value;
};

static struct {
	long names[2];
	struct node *next;
	long value;
} first;
static struct node second, other;

__attribute__((noinline)) static void fills(void)
{
	second.value = 11;
	other.value = 22;
	first.next = &second;
}

__attribute__((noinline)) static void bends(int n, long with) { first.names[n] = with; }

__attribute__((noinline)) static long reads(struct node *it)
{
	it = it->next;
	long got = it->value;
	return got; // read
}

int main(void)
{
	fills();
	bends(2, (long)&other);
	printf("%ld\n", reads((struct node *)&first.next));
	return 0;
}
