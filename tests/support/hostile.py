"""An untrusted ruleset with scripts as titles and docs."""

from __future__ import annotations

EVIL = "</script></title></text><img src=x onerror=alert(1)><script>alert(2)</script>"
RULESET = f"""
--- game.yaml
id: evil
title: "{EVIL} game"
version: "1.0"
players: {{kind: player, min: 2, max: 2}}
units: [money]
start: play
--- kinds.yaml
kinds:
  player: {{state: {{cash: {{account: money}}}}}}
  stall:
    state: {{sold: {{type: int}}, by: {{type: "player?"}}}}
    entities: {{fish: {{title: "{EVIL} fish", doc: "{EVIL}"}}, fruit: {{title: "${{title}} $board {{0}} %s"}}}}
accounts: {{bank: {{account: money, unlimited: true}}}}
--- map.yaml
map:
  kind: town
  links: {{road: one_way}}
  regions: {{oak: {{title: "{EVIL} oak", road: [elm]}}, elm: {{title: "&amp;lt; elm"}}}}
--- measures.yaml
measures:
  sold: {{title: "{EVIL} sold", of: stall, value: stall.sold, doc: "{EVIL}"}}
--- rules.yaml
rules: [{{id: EVL-01, text: "{EVIL}"}}]
--- rules/play.rules
procedure play():
    for p in player:
        decide work by p:
            "EVL-01: {EVIL}"
            option sell(s in stall, k in 1 .. 3):
                require k < 3 or p == first(player)  "EVL-01: {EVIL}"
                set s.sold to s.sold + k
                set s.by to p
                pay k * 1 money from bank to p.cash
    end game

scoring p in player:
    "EVL-01: {EVIL}"
    score p.cash / 1 money
"""
