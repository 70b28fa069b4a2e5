// known has values and functions whose results are known without running it.
volatile int number = 4711;

int plus_two(int n) { return n + 2; }
double halved(double x) { return x / 2; }
__attribute__((noinline)) int place(int n) { return n + number; } //break:place

int main(void) { return place(plus_two(-2)) == 4711 ? (int)halved(0) : 1; }
