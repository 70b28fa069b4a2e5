// Texts compared as people mean it: with strcmp. Each line of the output is an
// expression and its value; the variables are in sight from where marker is called.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct person { char name[8]; const char *city; char initial; int age; };

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

#define SAY(e, value) printf("%s\t%d\n", e, value)
#define EQUAL(a, b) SAY(#a " == " #b, strcmp(a, b) == 0), SAY(#b " != " #a, strcmp(a, b) != 0)
#define LESS(a, b) SAY(#a " < " #b, strcmp(a, b) < 0), SAY(#a " >= " #b, strcmp(a, b) >= 0)

__attribute__((noinline)) int look(const char *name, char **words) {
    struct person bob = {"bob", "Wien", 'b', 40}, *who = &bob, full = {{'r', 'o', 'b', 'e', 'r', 't', 'o', 's'}, "", 'r', 1};
    char buffer[32] = "hello", *empty = "", *none = NULL;
    const unsigned char *raw = (const unsigned char *)"raw\xff";
    char *tail = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tail += 4091; // the text ends where its page does
    strcpy(tail, "tail");
    char *same = strdup(name);
    char letters[4] = {'a', 'b', 'c', 'd'};
    EQUAL(name, "bob");
    EQUAL(name, "bo");
    EQUAL(name, "bobby");
    EQUAL(name, "");
    EQUAL(empty, "");
    EQUAL(empty, "x");
    EQUAL(buffer, "hello");
    EQUAL(bob.name, "bob");
    EQUAL(who->name, "bob");
    EQUAL(who->city, "Wien");
    EQUAL(words[1], "two");
    EQUAL(*words, "one");
    EQUAL(words[0] + 1, "ne");
    EQUAL(tail, "tail");
    EQUAL(same, "bob");
    EQUAL((char *)raw, "raw\xff");
    LESS(name, "bobby");
    LESS(name, "boa");
    LESS("abc", name);
    LESS(buffer, "hello!");
    LESS((char *)raw, "raw~");
    SAY("raw == \"raw\\xff\"", 1);
    SAY("full.name == \"robertos\"", strncmp(full.name, "robertos", 8) == 0);
    SAY("full.name == \"robert\"", strncmp(full.name, "robert", 8) == 0);
    SAY("letters == \"abcd\"", strncmp(letters, "abcd", 4) == 0);
    SAY("none == \"\"", 0);
    SAY("none != \"bob\"", 1);
    SAY("none && none == \"bob\"", 0);
    SAY("same == name", same == name);
    SAY("name == name", 1);
    SAY("who->name == bob.name", 1);
    SAY("who->age > 30 && who->name == \"bob\" ? 7 : 8", 7);
    fflush(stdout);
    marker(&bob);
    int sum = who->age + full.age + letters[0] + empty[0] + (none != NULL) + raw[0] + tail[0] + same[0] + buffer[0];
    free(same);
    return sum;
}

int main(void) {
    char *words[] = {"one", "two"};
    return look("bob", words) & 1;
}
