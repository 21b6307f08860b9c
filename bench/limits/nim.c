/* Nim with heaps of 1, 3, 5 and 7: every heap and number is as likely. */
#define GAMES 1024
#include "worker.h"

void prepare(void) {
}

int game(void) {
    int h[4] = {1, 3, 5, 7}, left = 16, k = 0;
    while (left) {
        int i = below(left), j = 0;
        while (i >= h[j])
            i -= h[j++];
        h[j] -= i + 1;
        left -= i + 1;
        k++;
    }
    return k;
}
