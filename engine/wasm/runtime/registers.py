"""Registers: numbers at fixed addresses, which the modules and the host read and write."""

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
"""The address of what belongs to each row: a number, or two addresses."""
OUT = 264
"""The end of the rows that are handed back."""
OUT_END = 272
"""The address after the room for these rows."""
NEXT = 280
"""The number of the next option of a row that is expanded."""
STAMP = 288
"""The mark of what has been listed in the loop at hand."""
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

REGISTERS: dict[str, int] = {name: address for name, address in globals().items() if name.isupper()}
"""All registers by their names."""
