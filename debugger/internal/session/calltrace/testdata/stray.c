// A call writes behind the end of an array, over a pointer beside it.
#include <stdlib.h>
#include <string.h>

struct shop {
	long prices[8];
	char *owner;
};

static int digits(const char *text)
{
	int n = 0;
	for (const char *p = text; *p; p++)
		if (*p >= '0' && *p <= '9')
			n++;
	return n;
}

static long sum(struct shop *s, int n)
{
	long total = 0;
	for (int i = 0; i < n; i++)
		total += s->prices[i];
	return total;
}

static int store(struct shop *s, int slot, long price)
{
	int before = digits(s->owner);
	s->prices[slot] = price;
	return before + slot;
}

static long walk(int n)
{
	return n == 0 ? 0 : n + walk(n - 1);
}

int main(void)
{
	struct shop *shop = calloc(1, sizeof *shop);
	shop->owner = strdup("ann 42");
	long got = 0;
	for (int i = 0; i < 8; i++)
		got += store(shop, i, 100 + i);
	got += sum(shop, 8);
	got += walk(5);
	store(shop, 8, 108);
	return got == 0;
}
