// Ten planted bugs. Each function stores a wrong result in bad[]; the line that
// makes it wrong is marked.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEPARATE __attribute__((noipa))

long bad[11];

struct item {
	long price, count;
	char name[32];
};

// A price is wrong in one place, and copied and added elsewhere.
SEPARATE static void fill(struct item *it, long price, long count)
{
	it->price = price;
	it->count = count;
	strcpy(it->name, "thing");
}

SEPARATE static void wrong_constant(void)
{
	struct item first, second, copy;
	fill(&first, 10, 2);
	fill(&second, 2000, 1); // root 1
	memcpy(&copy, &second, sizeof copy);
	bad[1] = first.price * first.count + copy.price * copy.count;
}

// An index runs past an array, over the variable behind it.
struct box {
	long values[4];
	long limit;
};

SEPARATE static void set_all(struct box *b, int n, long v)
{
	for (int i = 0; i <= n; i++)
		b->values[i] = v; // root 2
}

SEPARATE static void overrun(void)
{
	struct box b;
	b.limit = 1000;
	set_all(&b, 4, 7);
	bad[2] = b.limit;
}

// A result has the wrong unit.
SEPARATE static long to_cents(long euros)
{
	return euros * 1000; // root 3
}

SEPARATE static long total(long a, long b) { return a + b; }

SEPARATE static void wrong_unit(void)
{
	long sum = total(to_cents(3), 7);
	bad[3] = sum;
}

// Arguments are in the wrong order.
SEPARATE static void keep(struct item *it, long count, long price)
{
	it->count = count;
	it->price = price;
}

SEPARATE static void wrong_order(void)
{
	struct item it;
	long price = 55;
	long count = 3;
	keep(&it, price, count); // root 4
	bad[4] = it.count;
}

// A sum starts at another value than 0.
SEPARATE static long add_up(const long *v, int n)
{
	long sum = 100; // root 5
	for (int i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

SEPARATE static void wrong_start(void)
{
	long v[50];
	for (int i = 0; i < 50; i++)
		v[i] = 0;
	bad[5] = add_up(v, 50);
}

// A pointer refers to another variable.
SEPARATE static void clear(long *p)
{
	*p = -1; // root 6
}

SEPARATE static void wrong_target(void)
{
	long *mine = malloc(sizeof *mine), *theirs = malloc(sizeof *theirs);
	*mine = 1;
	*theirs = 2;
	clear(theirs);
	bad[6] = *theirs;
	free(mine);
	free(theirs);
}

// A value that was read is wrong.
SEPARATE static void wrong_input(void)
{
	int ends[2];
	long v = 0;
	if (pipe(ends) != 0 || write(ends[1], "wronginp", 8) != 8)
		exit(1);
	if (read(ends[0], &v, sizeof v) != sizeof v) // root 7
		exit(1);
	bad[7] = v;
}

// A field is narrowed on its way.
struct packet {
	unsigned char size;
	long length;
};

SEPARATE static void pack(struct packet *p, long length)
{
	p->length = p->size = length; // root 8
}

SEPARATE static void narrowed(void)
{
	struct packet p;
	pack(&p, 300);
	bad[8] = p.length;
}

// A list has a node with a wrong value, which is found later.
struct node {
	struct node *next;
	long key, value;
};

SEPARATE static struct node *insert(struct node *list, long key, long value)
{
	struct node *n = malloc(sizeof *n);
	n->next = list;
	n->key = key;
	n->value = value + key; // root 9
	return n;
}

SEPARATE static void wrong_node(void)
{
	struct node *list = 0;
	for (long k = 0; k < 10; k++)
		list = insert(list, k, 10 * k);
	for (struct node *n = list; n; n = n->next)
		if (n->key == 6)
			bad[9] = n->value;
}

// A mean is divided by the wrong number.
SEPARATE static double mean(const double *v, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += v[i];
	return sum / (n + 1); // root 10
}

SEPARATE static void wrong_mean(void)
{
	double v[3] = {1, 2, 6};
	double m = mean(v, 3);
	bad[10] = (long)(m * 100);
}

int main(void)
{
	wrong_constant();
	overrun();
	wrong_unit();
	wrong_order();
	wrong_start();
	wrong_target();
	wrong_input();
	narrowed();
	wrong_node();
	wrong_mean();
	return 0;
}
