"""A small game of tiles on a hex map: stops with slots, homes, prices in a grid, trains as tokens."""

RAILYARD = """
procedure play():
    repeat at most 12:
        for p in player:
            decide act by p:
                option lay(h in hex, t in tile, k in 0 .. 5):
                    set h.tile to t
                    set h.turn to k
                option place(f in firm, x in point where station[f].store > 0):
                    move 1 of station[f] from store to at[x]
                option rate(f in firm, c in cell):
                    set f.cell to c
                    set f.rank to 9 - f.rank
                option buy(f in firm, t in train.depot):
                    move t to yard[f]
    end game as over

scoring p in player:
    score 1
--- game.yaml
id: railyard
title: Railyard
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {}
  firm:
    facts: {home: hex}
    state: {cell: {type: "cell?"}, rank: {type: int 0..9}, home_end: {type: end, start: c1}}
    entities: {iron: {title: Iron Road, home: b2}, mills: {title: Mills, home: a1}}
  grade: {facts: {price: int}, entities: {slow: {price: 3}, fast: {price: 7}}}
  train:
    facts: {grade: grade}
    places: {depot: {}, yard: {index: firm}}
    entities: {n1: {grade: slow}, n2: {grade: slow}, n3: {grade: fast}}
  end: {entities: {s: {}, sw: {}, nw: {}, n: {}, ne: {}, se: {}, c1: {}, c2: {}}}
  line:
    facts: {a: end, b: end}
    entities:
      s_n: {a: s, b: n}
      s_ne: {a: s, b: ne}
      s_1: {a: s, b: c1}
      n_1: {a: n, b: c1}
      sw_2: {a: sw, b: c2}
      ne_2: {a: ne, b: c2}
  shade: {entities: {yellow: {}, green: {}}}
  letter: {entities: {z: {}}}
  tile:
    facts: {shade: "shade?", lines: set line, stops: int, slots: int, worth: int, later: int, letter: "letter?"}
    entities:
      bare: {lines: [], stops: 0, slots: 0, worth: 0, later: 0}
      bare_city: {lines: [], stops: 1, slots: 1, worth: 0, later: 0}
      far: {lines: [s_1], stops: 1, slots: 0, worth: 20, later: 50}
      bend: {shade: yellow, lines: [s_ne], stops: 0, slots: 0, worth: 0, later: 0}
      halts: {shade: yellow, lines: [s_1, n_1, sw_2, ne_2], stops: 2, slots: 0, worth: 10, later: 0}
      large: {shade: green, lines: [s_1, n_1], stops: 1, slots: 2, worth: 30, later: 0, letter: z}
      pair: {shade: green, lines: [s_1, n_1, sw_2, ne_2], stops: 2, slots: 1, worth: 40, later: 0}
  point: {product: [hex, end]}
  hex: {state: {tile: {type: tile, start: hex.printed}, turn: {type: int 0..5}}}
pieces:
  station: {each: [firm], places: {store: {}, at: {index: point}}}
--- setup.yaml
setup: {pieces: {station.store: 2}}
--- map.yaml
map:
  kind: hex
  facts: {printed: tile, cost: int, steep: bool}
  regions:
    a1: {title: Ashford, printed: bare_city, cost: 0, steep: false, position: [0, 0]}
    a3: {printed: bare, cost: 80, steep: true, position: [0, 90]}
    b2: {title: Bridge End (B2), printed: bare_city, cost: 40, steep: false, position: [78, 45]}
    c1: {title: Far West, printed: far, cost: 0, steep: false, position: [156, 0]}
--- boards.yaml
boards:
  cell:
    grid: {columns: a..c, rows: 1..2}
    facts: {price: int, par: bool}
    spaces:
      a1: {price: 40, par: false}
      b1: {price: 50, par: true}
      c1: {price: 0, par: false}
      a2: {price: 45, par: false}
      b2: {price: 55, par: true}
      c2: {price: 65, par: false}
--- drawing.yaml
drawing:
  entities:
    letter: {z: {letter: ZZ}}
    grade: {slow: {letter: "2"}, fast: {letter: "3"}}
  boards:
    hex:
      as: hexes
      facts: [cost, steep]
      fields: []
      fill: []
      tiles:
        field: tile
        turn: turn
        lines: lines
        ends: [a, b]
        around: [s, sw, nw, n, ne, se]
        stops: stops
        slots: slots
        numbers: {worth: yellow, later: brown}
        label: letter
        fill: shade
        printed: printed
        homes: {firm.home: home_end}
    point: {as: stops, in: hex}
    cell: {as: grid, caption: true, only: price, facts: [price], tints: {par: red}, names: none}
    firm: {as: hidden}
    end: {as: hidden}
  markers: [firm.cell]
  orders: {firm.cell: rank}
  codes: {hex.steep: "▲"}
  pieces: {train: {text: grade, grouped: true}}
  tables:
    game: [train.depot]
    firm: [cell.price, train.yard, station.store]
"""
