// Two units with other values for the same names: one is compiled with HERE. Each line of
// its output is an expression and its value.
#include <stdio.h>

#ifdef HERE
enum { SIZE = 8, FLAG_A = 1, FLAG_B = 2, FLAG_C = 4 };
enum level { LOW = -3, MID = -1, HIGH = 7 };

volatile int flags = FLAG_A | FLAG_C;
volatile int number = LOW;
volatile enum level level = HIGH;

int others(void);
__attribute__((noinline)) static void marker(void) { __asm__ volatile(""); }

__attribute__((noinline)) static int here(void)
{
	printf("SIZE + 0\t%d\nflags & FLAG_B\t%d\n(flags & FLAG_C) != 0\t%d\nnumber == LOW\t%d\n", SIZE, flags & FLAG_B, (flags & FLAG_C) != 0, number == LOW);
	printf("(int)LOW\t%d\nMID - LOW\t%d\nlevel > MID\t%d\nlevel == HIGH\t%d\nlevel\tHIGH\n(enum level)-3\tLOW\n", LOW, MID - LOW, level > MID, level == HIGH);
	marker();
	return 0;
}

int main(void) { return others() - SIZE + here(); }
#else
enum { SIZE = 16 };
enum other { LOW = 100, HIGH = 200 } there = HIGH;
static int FLAG_C = 99;

int others(void) { return FLAG_C > SIZE && there == HIGH ? 8 : 0; }
#endif
