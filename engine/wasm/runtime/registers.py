"""Registers: numbers at fixed addresses, shared by the modules and the host."""

LEFT = 72
"""Steps that may still be taken; none traps."""
JOURNAL = 80
"""The end of the journal."""
OPTIONS = 88
"""The end of the options that are listed."""
LISTED_END = 96
"""The address from which on no further option is listed."""
ROW_TAKEN = 104
"""The row of the option that is taken, for blocks that read their arguments from it."""
HASH = 112
"""The hash of the position."""
PLY = 120
"""The number of the decision in its game."""
SEED = 128
"""The seed of a batch of games."""
FIRST = 136
"""The number of the first game of a batch."""
EACH = 144
"""The distance between the numbers of two games of a batch."""
KEY = 152
"""The key of the random numbers of a game."""
DECIDING = 160
"""Whether a decision of a whole game is under way, not its set-up."""
NODES = 168
"""The options that perft has taken."""
LIMIT = 176
"""The options that perft may take."""
ENDED = 184
"""The games that have ended before the depth of perft."""
COMPLETE = 192
"""Whether perft has stayed within its limit."""
LEAVES = 200
"""The end of the hashes of leaves."""
LEAVES_END = 208
"""The address at which there is no room for a further leaf."""
RATE = 216
"""The probability of an option out of turn, in steps of 2^-53."""
GAME = 224
"""The number of the game, or row, in its batch."""
BUDGET = 232
"""Steps after which a batch is interrupted."""
PAUSED = 240
"""Whether the game at hand has been interrupted."""
ROWS = 248
"""The address of the rows of positions that the host hands over."""
ANSWERS = 256
"""The address of the data of each row: a number, or two addresses."""
OUT = 264
"""The end of the returned rows."""
OUT_END = 272
"""The address after the room for these rows."""
NEXT = 280
"""The number of the next option of a row that is expanded."""
STAMP = 288
"""The mark of things already listed in the loop at hand."""
REVEALED = 296
"""Whether the seat knows each token of a kind by itself."""
BY = 304
"""The seat of the next decision."""
MARK = 312
"""The mark of cells that have changed in the last step."""
IDLE_AT = 320
"""The address of options that are listed already, as a decision was tested for being idle."""
IDLE_SIZE = 328
"""Their bytes; 0 if there are none."""
TRAIL = 336
"""The end of the hashes, or codes, of a playout; 0 if none are written."""
TRAIL_END = 344
"""The address after the room for them."""
CODED = 352
"""Whether the codes of the decisions of a playout are written, and not hashes."""
PERIOD = 360
"""The playouts from rows after which their numbers begin again, so that they draw alike; 0: never."""
TEAMS = 368
"""The address of the first team; of each: a set of seats, a factor, and room for three numbers (`payoffs`)."""
TEAMS_END = 376
"""The address after the last one."""
OWN_TEAM = 384
"""The address of the team of the seat that decides."""
FORM = 392
"""The form of payoffs: 0 by the win alone, 1 by a value where a playout is cut off, 2 by points."""
UNIT = 400
"""The difference that nearly decides; in a game for points twice the stakes."""
SHIFT = 408
"""The last bits of a difference that do not count."""
STAKE = 416
"""The most points by which a team ends above or below the average, times the number of teams."""
POWERS = 424
"""The address of two tables of powers of 2."""
JUDGED = 432
"""The number of the value that judges positions; -1: points."""
KEYS = 440
"""The address of the seeds of the rounds of a comparison."""
LEFT_OVER = 448
"""The options that are left of a comparison."""
ALREADY = 456
"""The playouts after each of these before the round at hand."""
SILENT = 464
"""The playouts of a comparison that carry no information."""
TREE_KEY = 472
"""The key of the random numbers of a tree; its root is the first node."""
TREE = 480
"""The address of the nodes of a tree and their options."""
TREE_TOP = 488
"""The end of them."""
TREE_END = 496
"""The address after the room for them."""
WAY = 504
"""The address of a way down a tree: pairs of a node and the option that was chosen, or 0 by chance."""
WAY_TOP = 512
"""The end of the way."""
WAY_END = 520
"""The address after the room for it."""
KNOWN = 528
"""Whether all of a position is seen, so that nodes are positions."""
DRAWN = 536
"""The number of the last draw of a tree."""
HIDES = 544
"""The address of a table: for each option the columns of its code that others than the actor do not see, as bits."""
CURIOUS = 552
"""The address of a table: the exploration bonus of an option after one try, by the times it was legal."""
RARE = 560
"""The address of a table: the part of that bonus that is left, by the visits of an option."""
OWN_SEAT = 568
"""The seat that decides at the root of a tree."""
CODES = 576
"""The address of the codes of the requested options; 0: all listed ones."""

REGISTERS: dict[str, int] = {name: address for name, address in globals().items() if name.isupper()}
"""All registers by their names."""
