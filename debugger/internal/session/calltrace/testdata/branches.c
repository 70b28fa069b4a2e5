// Loops within loops, a switch, goto, a loop in one line, and calls in
// conditions.
#define SEPARATE __attribute__((noipa))

SEPARATE static int even(int n) { return n % 2 == 0; }

SEPARATE static int half(int n)
{
	if (even(n))
		return n / 2;
	return -1;
}

SEPARATE static int grid(int rows, int columns)
{
	int sum = 0;
	for (int r = 0; r < rows; r++) {
		for (int c = 0; c < columns; c++) {
			if (even(r + c))
				sum += c;
			else
				sum -= r;
		}
	}
	return sum;
}

SEPARATE static int choose(int n)
{
	int got = 0;
	do {
		switch (n % 4) {
		case 0:
			got += 1;
			break;
		case 1:
			got += half(n);
			break;
		case 2:
			goto next;
		default:
			got -= 3;
		}
		got *= 2;
	next:
		n--;
	} while (n > 0);
	return got;
}

SEPARATE static int line(int n)
{
	int k = 0;
	while (k * k < n) k++;
	return k;
}

SEPARATE static int last(int n) { return half(n + 1); }

int main(void) { return grid(3, 4) + choose(6) + line(30) + last(9) > 1000; }
