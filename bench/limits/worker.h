/* A process that plays random games when it is asked to: a line of input is a number of seconds of the processor, a
 * line of output the number of moves and the seconds that they took. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void prepare(void);
/* The moves of a random game. */
int game(void);

static uint64_t random_state = 0x9E3779B97F4A7C15ull;

static inline uint32_t below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(((random_state >> 32) * (uint64_t)n) >> 32);
}

static double processor(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void) {
    char line[64];
    prepare();
    while (fgets(line, sizeof line, stdin)) {
        double seconds = atof(line), begun = processor(), taken;
        long long moves = 0;
        do {
            for (int i = 0; i < GAMES; i++)
                moves += game();
            taken = processor() - begun;
        } while (taken < seconds);
        printf("%lld %.6f\n", moves, taken);
        fflush(stdout);
    }
    return 0;
}
