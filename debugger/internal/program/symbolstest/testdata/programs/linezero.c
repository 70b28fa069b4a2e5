// Two calls that clang makes one of, which has no line of its own (line 0); the
// test stops in marker.
volatile int sink;

__attribute__((noinline)) int marker(int v) { return sink += v; }

__attribute__((noinline)) int caller(int v) {
    int r;
    sink = 1;
    if (v > 2)
        r = marker(v + 5);
    else
        r = marker(v * 3);
    return r + sink;
}

int main(void) { return caller(3) & 1; }
