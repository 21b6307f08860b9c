"""Registers: numbers at fixed addresses, shared by the modules and the host."""

LEFT = 72
"""The step budget; the module traps when it becomes negative."""
JOURNAL = 80
"""The end of the journal."""
OPTIONS = 88
"""The end of the listed options."""
LISTED_END = 96
"""The address at and after which no further option is listed."""
ROW_TAKEN = 104
"""The row of the option taken, for blocks that read their arguments from it."""
HASH = 112
"""The hash of the position."""
PLY = 120
"""The number of decisions taken in the game."""
SEED = 128
"""The seed of a batch of games."""
FIRST = 136
"""The number of the first game of a batch."""
EACH = 144
"""The step between the game numbers of a batch."""
KEY = 152
"""The key of a game's random numbers."""
DECIDING = 160
"""Whether a random game has reached its first decision."""
NODES = 168
"""The number of options taken by perft."""
LIMIT = 176
"""The maximum number of options that perft may take."""
ENDED = 184
"""The number of games that ended before the depth of perft."""
COMPLETE = 192
"""Whether perft has stayed within its limit."""
LEAVES = 200
"""The end of the leaf hashes."""
LEAVES_END = 208
"""The address at and after which a leaf hash no longer fits."""
RATE = 216
"""The probability of an option out of turn, in steps of 2^-53."""
GAME = 224
"""The index of the game, or row, in its batch."""
BUDGET = 232
"""The step budget of a batch, which is interrupted when it becomes negative."""
PAUSED = 240
"""Whether the current game has been interrupted."""
ROWS = 248
"""The address of the rows of positions passed by the host."""
ANSWERS = 256
"""The address of the data for each row, which are a number or some addresses."""
OUT = 264
"""The end of the returned rows."""
OUT_END = 272
"""The address after the buffer for returned rows."""
NEXT = 280
"""The index of the next option to expand in a row."""
STAMP = 288
"""The stamp that marks the tokens already listed by the current loop."""
REVEALED = 296
"""Whether the seat can tell all tokens of a kind apart."""
BY = 304
"""The seat of the next decision."""
MARK = 312
"""The stamp of the cells changed in the last step."""
IDLE_AT = 320
"""The address of the options already listed by `idle`."""
IDLE_SIZE = 328
"""The size of the options at `IDLE_AT` in bytes; 0 if there are none."""
TRAIL = 336
"""The end of the hashes or codes of a playout; 0 if none are recorded."""
TRAIL_END = 344
"""The address after the buffer at `TRAIL`."""
CODED = 352
"""Whether a playout records the codes of its decisions instead of hashes."""
PERIOD = 360
"""The number of playouts from rows after which game numbers repeat, to share random numbers; 0 means never."""
TEAMS = 368
"""The address of the first team; each has a set of seats, a factor, and room for four results (`payoffs`)."""
TEAMS_END = 376
"""The address after the last team."""
OWN_TEAM = 384
"""The address of the deciding seat's team."""
FORM = 392
"""The form of payoffs: 0 counts only wins, 1 also the value of a cut-off playout, 2 counts points."""
UNIT = 400
"""The difference that nearly decides a game; in a game for points, twice the stake."""
SHIFT = 408
"""The number of low bits of a difference that are ignored."""
STAKE = 416
"""The maximum points of a team above or below the average, times the number of teams."""
POWERS = 424
"""The address of two tables of powers of 2."""
JUDGED = 432
"""The number of the value that evaluates positions; -1 means points."""
KEYS = 440
"""The address of the seeds of a comparison's rounds."""
LEFT_OVER = 448
"""The number of remaining options in a comparison."""
ALREADY = 456
"""The number of playouts per remaining option before the current round."""
SILENT = 464
"""The number of playouts in a comparison that gave no information."""
TREE_KEY = 472
"""The key of a tree's random numbers; the root is the first node."""
TREE = 480
"""The address of a tree's nodes and their options."""
TREE_TOP = 488
"""The end of the tree."""
TREE_END = 496
"""The address after the buffer for a tree."""
WAY = 504
"""The address of a path down a tree: pairs of a node and the chosen option (0 at a chance node)."""
WAY_TOP = 512
"""The end of the path at `WAY`."""
WAY_END = 520
"""The address after the buffer for a path."""
KNOWN = 528
"""Whether positions are fully visible, so that each node is a position."""
DRAWN = 536
"""The number of the last draw of a tree."""
HIDES = 544
"""The address of a table with a bit set per option: the columns of its code that are hidden from seats other than the
actor.
"""
CURIOUS = 552
"""The address of the table of exploration bonuses after one try, by the number of times an option was legal."""
RARE = 560
"""The address of the table of the remaining fractions of the exploration bonus, by the visits of an option."""
OWN_SEAT = 568
"""The seat that decides at the root of a tree."""
CODES = 576
"""The address of the codes of the requested options; 0 means all listed ones."""
REWRITTEN = 584
"""The memos (`closure_memos`) whose cells have been written since their last look-up, one bit each."""

REGISTERS: dict[str, int] = {name: address for name, address in globals().items() if name.isupper()}
"""All registers by name."""
