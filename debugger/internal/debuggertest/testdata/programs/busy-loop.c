// Runs until it is stopped.
volatile long rounds;

int main(void) {
	for (;;)
		rounds++; //break:round
}
