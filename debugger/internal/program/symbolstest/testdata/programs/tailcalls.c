// Functions that end by jumping to another one; the test stops in marker.
volatile long sink;

__attribute__((noinline)) long marker(long v) {
    sink += v;
    __asm__ volatile("" ::: "memory");
    return sink;
}

// One way: leaf, middle, top.
__attribute__((noinline)) long leaf(long v) { return marker(v + 1); }
static __attribute__((noinline)) long middle(long v) { sink++; return leaf(v * 2); }
__attribute__((noinline)) long top(long v) { sink--; return middle(v + 3); }

// Two ways from fork to join.
__attribute__((noinline)) long join(long v) { return marker(v + 7); }
__attribute__((noinline)) long left(long v) { sink++; return join(v * 2); }
__attribute__((noinline)) long right(long v) { sink += 2; return join(v * 3); }
__attribute__((noinline)) long fork_(long v) { return v & 1 ? left(v) : right(v); }

// A way through a pointer, which the debug information does not know.
long (*volatile through)(long) = leaf;
__attribute__((noinline)) long hidden(long v) { return through(v); }

int main(int argc, char **argv) {
    (void)argv;
    long sum = top(argc);
    sum += fork_(argc);
    sum += hidden(argc);
    return (int)(sum & 1);
}
