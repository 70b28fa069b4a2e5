// Variables that a compiler removes: nothing reads lost, and what gone holds is constant.
#include <stdio.h>

struct bits {
	signed a : 5;
	unsigned b : 9;
};
static struct bits gone = {1, 2};
static int lost;
extern int nowhere;
int here = 4;

int main(void)
{
	gone.a = 3;
	lost = 5;
	printf("%d\n", here);
	return 0;
}
