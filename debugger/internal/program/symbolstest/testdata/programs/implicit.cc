// Values that optimized code holds nowhere, but whose parts are known; the test
// stops in marker.
#include <string_view>

volatile long sink;

__attribute__((noipa)) void marker(long v) { sink += v; __asm__ volatile("" ::: "memory"); }

struct Span { const int *first; long count; };

static inline __attribute__((always_inline)) long sum(Span s) {
    marker(s.count);
    long total = 0;
    for (long i = 0; i < s.count; i++) total += s.first[i];
    return total;
}

__attribute__((noinline)) long leaf(long n) {
    std::string_view sv = "view";
    int local = (int)n + 41;
    Span span = {&local, 1};
    long total = sum(span);
    marker(sv.size());
    return total + sv.size();
}

int main(int argc, char **) { return (int)leaf(argc) & 1; }
