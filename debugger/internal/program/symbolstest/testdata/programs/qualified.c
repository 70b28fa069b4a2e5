// Types with qualifiers in all places; the test stops in marker.
typedef const int fixed;
struct pair { const int a; volatile char *const b; };

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" ::"r"(p) : "memory"); }

int main(void) {
    const int numbers[3] = {1, 2, 3};
    const char word[7] = "abcdef";
    const volatile short both[2] = {4, 5};
    const int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const char *const names[2] = {"x", "y"};
    const char *volatile last = names[1];
    fixed renamed[2] = {8, 9};
    const struct pair pairs[1] = {{1, 0}};
    const char(*to)[7] = &word;
    marker(numbers);
    marker(word);
    marker((const void *)both);
    marker(grid);
    marker(names);
    marker((const void *)last);
    marker(renamed);
    marker(pairs);
    marker(to);
    return 0;
}
