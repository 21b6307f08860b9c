/* Chess: sets of squares are numbers of 64 bits; all moves are tried, and every legal one is as likely. A game ends by
 * mate, stalemate or 75 moves of each side without a capture or a pawn. Needs the instructions PEXT and PDEP. */
#define GAMES 1
#include "worker.h"
#include <immintrin.h>
#include <string.h>

typedef uint64_t Set;

typedef struct {
    Set p[2][6];
    Set o[2];
    int en_passant, castling, half, s;
} Position; /* p: pawns, knights, bishops, rooks, queens, king; o: all of a side; s: who moves */

typedef struct {
    uint8_t f, t, promoted, k;
} Move; /* from, to, promoted piece; k: 1 en passant, 2 castling */

static Set knight[64], king[64], pawn[2][64], bishop_mask[64], rook_mask[64], *bishop_from[64], *rook_from[64];
static Set table[120000];
static uint8_t keeps[64];

static Set slide(int s, Set occ, int d[4][2]) {
    Set r = 0;
    for (int i = 0; i < 4; i++) {
        int x = s % 8, y = s / 8;
        while (1) {
            x += d[i][0];
            y += d[i][1];
            if (x < 0 || x > 7 || y < 0 || y > 7)
                break;
            Set b = 1ull << (y * 8 + x);
            r |= b;
            if (occ & b)
                break;
        }
    }
    return r;
}

static int diagonals[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}, straights[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

void prepare(void) {
    Set *t = table;
    for (int s = 0; s < 64; s++) {
        int x = s % 8, y = s / 8;
        for (int dx = -2; dx <= 2; dx++)
            for (int dy = -2; dy <= 2; dy++) {
                int X = x + dx, Y = y + dy;
                if (X < 0 || X > 7 || Y < 0 || Y > 7)
                    continue;
                Set b = 1ull << (Y * 8 + X);
                if (abs(dx * dy) == 2)
                    knight[s] |= b;
                if ((dx || dy) && abs(dx) < 2 && abs(dy) < 2)
                    king[s] |= b;
                if (abs(dx) == 1 && dy == 1)
                    pawn[0][s] |= b;
                if (abs(dx) == 1 && dy == -1)
                    pawn[1][s] |= b;
            }
        for (int k = 0; k < 2; k++) {
            int (*d)[2] = k ? straights : diagonals;
            Set m = 0;
            for (int i = 0; i < 4; i++) {
                int X = x, Y = y;
                while (1) {
                    X += d[i][0];
                    Y += d[i][1];
                    if (X + d[i][0] < 0 || X + d[i][0] > 7 || Y + d[i][1] < 0 || Y + d[i][1] > 7)
                        break;
                    m |= 1ull << (Y * 8 + X);
                }
            }
            int n = __builtin_popcountll(m);
            Set *a = t;
            t += 1ull << n;
            for (Set i = 0; i < (1ull << n); i++)
                a[i] = slide(s, _pdep_u64(i, m), d);
            if (k) {
                rook_mask[s] = m;
                rook_from[s] = a;
            } else {
                bishop_mask[s] = m;
                bishop_from[s] = a;
            }
        }
        keeps[s] = 15;
    }
    keeps[0] = 13;
    keeps[7] = 14;
    keeps[4] = 12;
    keeps[56] = 7;
    keeps[63] = 11;
    keeps[60] = 3;
}

#define FIRST(b) __builtin_ctzll(b)

static inline Set bishop(int s, Set o) {
    return bishop_from[s][_pext_u64(o, bishop_mask[s])];
}

static inline Set rook(int s, Set o) {
    return rook_from[s][_pext_u64(o, rook_mask[s])];
}

static inline int attacked(const Position *q, int s, int by, Set occ) {
    const Set *e = q->p[by];
    if (knight[s] & e[1])
        return 1;
    if (pawn[!by][s] & e[0])
        return 1;
    if (king[s] & e[5])
        return 1;
    if (bishop(s, occ) & (e[2] | e[4]))
        return 1;
    return (rook(s, occ) & (e[3] | e[4])) != 0;
}

static inline void make(Position *q, Move m) {
    int s = q->s;
    Set f = 1ull << m.f, t = 1ull << m.t;
    int pc = 0;
    while (!(q->p[s][pc] & f))
        pc++;
    int pawn = pc == 0;
    q->p[s][pc] ^= f;
    int cap = 0;
    if (q->o[!s] & t) {
        for (int i = 0; i < 5; i++)
            q->p[!s][i] &= ~t;
        q->o[!s] &= ~t;
        cap = 1;
    }
    q->p[s][m.promoted ? m.promoted : pc] |= t;
    q->o[s] ^= f | t;
    if (m.k == 1) {
        Set c = s ? t << 8 : t >> 8;
        q->p[!s][0] ^= c;
        q->o[!s] ^= c;
        cap = 1;
    }
    if (m.k == 2) {
        Set r = m.t > m.f ? (1ull << (m.f + 3)) | (1ull << (m.f + 1)) : (1ull << (m.f - 4)) | (1ull << (m.f - 1));
        q->p[s][3] ^= r;
        q->o[s] ^= r;
    }
    q->castling &= keeps[m.f] & keeps[m.t];
    q->en_passant = (pawn && (m.f ^ m.t) == 16) ? (m.f + m.t) / 2 : -1;
    q->half = (pawn || cap) ? 0 : q->half + 1;
    q->s = !s;
}

static int moves_of(const Position *q, Move *l) {
    int s = q->s, n = 0;
    Set me = q->o[s], op = q->o[!s], oc = me | op, em = ~oc;
    Move *z = l;
#define ADD(F, T, R, K) (*z++ = (Move){F, T, R, K})
    Set pw = q->p[s][0];
    Set last = s ? 0xffull : 0xff00000000000000ull;
    int up = s ? -8 : 8;
    Set one = (s ? pw >> 8 : pw << 8) & em;
    Set two = (s ? (one & 0xff0000000000ull) >> 8 : (one & 0xff0000ull) << 8) & em;
    for (Set b = one; b; b &= b - 1) {
        int t = FIRST(b);
        if (last >> t & 1) {
            for (int r = 4; r; r--)
                ADD(t - up, t, r, 0);
        } else
            ADD(t - up, t, 0, 0);
    }
    for (Set b = two; b; b &= b - 1) {
        int t = FIRST(b);
        ADD(t - 2 * up, t, 0, 0);
    }
    for (Set b = pw; b; b &= b - 1) {
        int f = FIRST(b);
        for (Set c = pawn[s][f] & op; c; c &= c - 1) {
            int t = FIRST(c);
            if (last >> t & 1) {
                for (int r = 4; r; r--)
                    ADD(f, t, r, 0);
            } else
                ADD(f, t, 0, 0);
        }
        if (q->en_passant >= 0 && pawn[s][f] >> q->en_passant & 1)
            ADD(f, q->en_passant, 0, 1);
    }
    for (Set b = q->p[s][1]; b; b &= b - 1) {
        int f = FIRST(b);
        for (Set c = knight[f] & ~me; c; c &= c - 1)
            ADD(f, FIRST(c), 0, 0);
    }
    for (Set b = q->p[s][2] | q->p[s][4]; b; b &= b - 1) {
        int f = FIRST(b);
        for (Set c = bishop(f, oc) & ~me; c; c &= c - 1)
            ADD(f, FIRST(c), 0, 0);
    }
    for (Set b = q->p[s][3] | q->p[s][4]; b; b &= b - 1) {
        int f = FIRST(b);
        for (Set c = rook(f, oc) & ~me; c; c &= c - 1)
            ADD(f, FIRST(c), 0, 0);
    }
    int k = FIRST(q->p[s][5]);
    for (Set c = king[k] & ~me; c; c &= c - 1)
        ADD(k, FIRST(c), 0, 0);
    int cs = q->castling >> (2 * s) & 3;
    if (cs & 1 && !(oc & (0x60ull << (56 * s))) && !attacked(q, k, !s, oc) && !attacked(q, k + 1, !s, oc))
        ADD(k, k + 2, 0, 2);
    if (cs & 2 && !(oc & (0xeull << (56 * s))) && !attacked(q, k, !s, oc) && !attacked(q, k - 1, !s, oc))
        ADD(k, k - 2, 0, 2);
    n = z - l;
    return n;
}

static inline int legal(const Position *q, Move m, Position *r) {
    *r = *q;
    make(r, m);
    return !attacked(r, FIRST(r->p[q->s][5]), r->s, r->o[0] | r->o[1]);
}

static Position start(void) {
    Position q;
    memset(&q, 0, sizeof q);
    q.p[0][0] = 0xff00;
    q.p[0][1] = 0x42;
    q.p[0][2] = 0x24;
    q.p[0][3] = 0x81;
    q.p[0][4] = 8;
    q.p[0][5] = 16;
    for (int i = 0; i < 6; i++)
        q.p[1][i] = __builtin_bswap64(q.p[0][i]);
    for (int i = 0; i < 6; i++) {
        q.o[0] |= q.p[0][i];
        q.o[1] |= q.p[1][i];
    }
    q.en_passant = -1;
    q.castling = 15;
    return q;
}

int game(void) {
    Position now = start(), next, legal_ones[256];
    Move moves[256];
    int played = 0;
    while (now.half < 150) {
        int n = moves_of(&now, moves), many = 0;
        for (int i = 0; i < n; i++)
            if (legal(&now, moves[i], &next))
                legal_ones[many++] = next;
        if (!many)
            break;
        now = legal_ones[below(many)];
        played++;
    }
    return played;
}
