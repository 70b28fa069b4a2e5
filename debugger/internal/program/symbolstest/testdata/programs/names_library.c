// The library of names.cc: its statics have the same names.
static int map[12] = {101};
static int here = 102;
static int count = 103;
int both_library = 104;

int library(void) { return map[0] + here + count + both_library; }
