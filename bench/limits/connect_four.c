/* Connect Four: sets of discs are numbers of 64 bits, and every column that is not full is as likely. */
#define GAMES 256
#include "worker.h"

void prepare(void) {
}

static inline int won(uint64_t b) {
    uint64_t m = b & (b >> 7);
    if (m & (m >> 14))
        return 1;
    m = b & (b >> 6);
    if (m & (m >> 12))
        return 1;
    m = b & (b >> 8);
    if (m & (m >> 16))
        return 1;
    m = b & (b >> 1);
    return (m & (m >> 2)) != 0;
}

int game(void) {
    uint64_t b[2] = {0, 0};
    int h[7] = {0, 7, 14, 21, 28, 35, 42};
    uint32_t cols = 0x6543210, n = 7;
    int k = 0;
    while (n) {
        uint32_t i = below(n);
        uint32_t c = (cols >> (4 * i)) & 15;
        b[k & 1] |= 1ull << h[c];
        if (++h[c] == (int)(7 * c + 6)) {
            uint32_t lo = cols & ((1u << (4 * i)) - 1);
            cols = lo | ((cols >> (4 * i + 4)) << (4 * i));
            n--;
        }
        k++;
        if (won(b[(k - 1) & 1]))
            return k;
    }
    return k;
}
