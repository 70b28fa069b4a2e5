// Optimized code: inlined calls, values at entry, pieces, signal frames.
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct pair { long a, b; };
volatile long sink;

__attribute__((noinline)) void marker(long v) { sink += v; __asm__ volatile("" ::: "memory"); }

static inline __attribute__((always_inline)) long twice(long v) {
    long doubled = v * 2;
    marker(doubled);
    return doubled + sink;
}

static inline __attribute__((always_inline)) long thrice(struct pair p) {
    return twice(p.a) + p.b;
}

__attribute__((noinline)) long work(long first, long second) {
    struct pair p = {first, 7};
    const int fixed = 12;
    sink += fixed;
    return thrice(p);
}

static void handler(int sig) { sink += work(sig, sink); }

int main(int argc, char **argv) {
    (void)argv;
    signal(SIGUSR1, handler);
    sink = argc;
    raise(SIGUSR1);
    return (int)sink & 1;
}
