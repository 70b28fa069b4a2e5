/* Loads registers with known values: xmm3 with the bytes 0 to 15, st0 with pi
 * (Intel SDM volume 2, FLDPI: 4000 C90FDAA22168C235), mxcsr with all exceptions
 * masked, flush to zero and denormals as zero. */
static const unsigned char bytes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const unsigned mxcsr = 0x9fc0;

int main(void)
{
	__asm__ volatile("movdqu %0, %%xmm3\n\tfninit\n\tfldpi\n\tldmxcsr %1" : : "m"(bytes), "m"(mxcsr) : "xmm3", "st");
	__asm__ volatile("nop"); // stop
	return 0;
}
