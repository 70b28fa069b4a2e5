// A program without a library: a loop fills a table one place too far, and what
// lies behind the table is a pointer.
struct {
	int table[4];
	int *where;
} data = {{1, 2, 3, 4}, &data.table[0]};

static void fill(int n)
{
	for (int i = 0; i <= n; i++)
		data.table[i] = i * 16;
}

static int use(int factor)
{
	return *data.where * factor;
}

void _start(void)
{
	fill(4);
	int got = use(3);
	__asm__ volatile("syscall" : : "a"(60), "D"(got));
}
