"""Recorded railway games, compared with the positions of the recording system after each entry."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from folders import GAMES

from rulespec import scores, state_json
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import parse_foreign, shaped
from rulespec.engine.dialects.importer import Importer, Stop
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import Option
from rulespec.load import load_ruleset

STEPS = {
    "auction": "WaterfallAuction",
    "par": "CompanyPendingPar",
    "contest": "WaterfallAuction",
    "stock_turn": "BuySellParShares",
    "track": "Track",
    "token": "Token",
    "routes": "Route",
    "dividend": "Dividend",
    "trains": "BuyTrain",
    "help": "BuyTrain",
    "discard": "DiscardTrain",
    "companies": "BuyCompany",
    "seller_track": "SpecialTrack",
    "second_tile": "SpecialTrack",
    "free_token": "SpecialToken",
}
"""Decision in the rules → its name in the other system."""

PHASES = {"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "D": "diesel"}

SILENT = ("arrive", "stop_running")
"""Options not recorded by the other system, which belong to the previous entry."""


REFUSED = {"no_gain": "RAI-LAY-06", "no_money": "RAI-LAY-07"}
"""Reason for refusing a lay → the id of its rule."""


class Replayed:
    """A recorded game replayed under its rules.

    Args:
        folder: the ruleset.
        log: the recorded game.

    Attributes:
        stop: the reason why the log is illegal; None if it is legal.
        entries: the entry id of each decision; nested entries have that of the enclosing entry.
    """

    def __init__(self, folder: Path, log: Path, backend: Backend = "python") -> None:
        dialect = read_dialect(GAMES / "rails_1889" / "dialects" / "rails_online.yaml")
        foreign = shaped(parse_foreign(gzip.decompress(log.read_bytes()).decode(), log.name), dialect)
        self.ruleset = load_ruleset(str(folder))
        self.seats, self.settings = seats_and_settings(dialect, foreign, self.ruleset)
        self.backend = backend
        game = Game(self.ruleset, self.seats, self.settings, backend)
        importer = Importer(game, dialect, foreign)
        self.stop: Stop | None = importer.run()
        self.game = game
        self.moves = [move for move in importer.moves if isinstance(move, Option)]
        ids = [0]
        for entry in foreign.entries[1:]:
            own = entry.get("id") if isinstance(entry, dict) else None
            ids.append(own if isinstance(own, int) else ids[-1])
        self.entries: list[int] = []
        for move, number in zip(self.moves, importer.entries, strict=False):
            self.entries.append(self.entries[-1] if move.name in SILENT else ids[number])
        self.dialect = dialect

    def positions(self) -> Iterator[tuple[int, Game]]:
        """The game after the decisions of each entry, with the entry's id; always the same game object."""
        game = Game(self.ruleset, self.seats, self.settings, self.backend)
        for number, (move, entry) in enumerate(zip(self.moves, self.entries, strict=True)):
            game.apply(move)
            if number + 1 == len(self.moves) or self.entries[number + 1] != entry:
                yield entry, game


def trace_of(log: Path) -> dict[int, dict[str, Any]]:
    """The other system's positions, by the ids of entries that were not undone."""
    path = log.with_name(log.name.replace(".log.json.gz", ".trace.jsonl.gz"))
    lines = map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())
    return {line["id"]: line["s"] for line in lines if not line.get("skip")}


def recorded(s: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the other system's position that the rules model too."""
    result: dict[str, Any] = {
        "round": (s["round"]["kind"], s["round"]["turn"], s["round"]["n"] if s["round"]["kind"] == "OR" else 1),
        "step": s["round"]["step"],
        "asked": s["round"]["players"],
        "passed": sorted(s["passed"]),
        "bank": (s["bank"]["cash"], s["bank"]["broken"]),
        "phase": PHASES[s["phase"]],
        "cells": s["cells"],
        "tiles": s["tiles"],
        "pool": sorted(s["depot"]["discarded"]),
        "depot": {kind: n for kind, n in s["depot"]["left"].items() if kind != "D"},
        "finished": s["end"]["finished"],
    }
    for name, p in s["players"].items():
        result[name] = (p["cash"], p["shares"], sorted(p["privates"]), p["certs"], p["value"])
    for name, c in s["corps"].items():
        own = [
            c["cash"],
            c["ipoed"],
            c["floated"],
            c["par"],
            c["president"],
            c["ipo"],
            c["market"],
            sorted(c["trains"]),
        ]
        tokens = sorted(tuple(token[:2]) for token in c["tokens"])
        result[name] = (*own, sorted(c["privates"]), c["operated"], len(c["tokens_left"]), tokens)
    for name, x in s["privates"].items():
        result[f"company {name}"] = (x["owner"], x["closed"])
    if "auction" in s:
        bids = {name: sorted(map(tuple, of)) for name, of in s["auction"]["bids"].items() if of}
        result["auction"] = (s["auction"]["left"], s["auction"]["auctioning"], bids)
    if "sold" in s:
        result["sold"] = {player: sorted(names) for player, names in s["sold"].items()}
    return result


class Positions:
    """A function from positions of the rules to the form of `recorded`."""

    def __init__(self, of: Replayed) -> None:
        self._of = of
        game = of.game
        self._cells: dict[str, tuple[str, int]] = {}
        rows = int(game.omniscient.value("max(x.row for x in cell)"))
        for name in game.omniscient.value("cell").strip("{}").split(", "):
            column, row, price = (int(game.omniscient.value(f"{name}.{fact}")) for fact in ("column", "row", "price"))
            self._cells[name] = (f"{rows - row},{column - 1}", price)

        self._in_game = game.omniscient.value("{x in company where in_game(x)}").strip("{}").split(", ")

    def price(self, cell: str) -> int:
        """The price in a cell of the market."""
        return self._cells[cell][1]

    def __call__(self, game: Game) -> dict[str, Any]:
        """A position of the rules in the form of `recorded`."""
        everything = state_json(game)
        state = everything["entities"]
        own, decision = state["game"]["game"], game.decision
        step = decision.name if decision else ""
        kind = "ISR" if step in ("auction", "contest", "par") else "OR" if own["operating_round"] else "SR"
        trains = {name: t["place"] for name, t in state["train"].items()}
        left = [name[1] for name, at in trains.items() if at == "depot" and name[1] != "d"]
        cells: dict[str, list[tuple[int, str]]] = {}
        for name, c in state["corporation"].items():
            if c["cell"]:
                cells.setdefault(self._cells[c["cell"]][0], []).append((c["arrival"], self._name("corporation", name)))
        tiles = {}
        for name, h in state.get("hex", {}).items():
            if "tile" in h and h["plate"]:
                tiles[name.upper()] = f"{self._name('tile', h['tile'])}:{h['turn']}"
        return {
            "round": (kind, own["set_of_rounds"], own["operating_round"] or 1),
            "step": STEPS.get(step),
            "asked": [f"P{decision.by}"] if decision else [],
            "passed": sorted(f"P{name}" for name in own["passed"]),
            "bank": (own["bank"], own["bank_broke"]),
            "phase": own["phase"],
            "cells": {cell: [name for _, name in sorted(there)] for cell, there in cells.items()},
            "tiles": tiles,
            "pool": sorted(self._name("train", t) for t, at in trains.items() if at == "pool"),
            "depot": {kind: left.count(kind) for kind in sorted(set(left))},
            "finished": game.is_over,
            **self._players(game, state),
            **self._corporations(state, everything["pieces"]["station"]),
            "auction": self._auction(state),
            "sold": {
                f"P{name}": sorted(self._name("corporation", c) for c in p["sold"])
                for name, p in state["player"].items()
                if p["sold"]
            },
            **{
                f"company {self._name('company', name)}": (
                    (x["owner"] and f"P{x['owner']}") or self._named(x),
                    x["closed"],
                )
                for name, x in state["company"].items()
            },
        }

    def _named(self, x: Mapping[str, Any]) -> str | None:
        return self._name("corporation", x["owned_by"]) if x["owned_by"] else None

    def _name(self, kind: str, name: str) -> str:
        return self._of.dialect.foreign(kind, name)

    def _players(self, game: Game, state: Mapping[str, Any]) -> dict[str, Any]:
        worth, result = scores(game), {}
        for name, p in state["player"].items():
            shares: dict[str, int] = {}
            for t, certificate in state["certificate"].items():
                if certificate["place"] == f"held[{name}]":
                    corporation, _, rank = t.rpartition("_")
                    key = self._name("corporation", corporation)
                    shares[key] = shares.get(key, 0) + (10 if int(rank) else 20)
            own = sorted(self._name("company", x) for x, c in state["company"].items() if c["owner"] == name)
            count = int(
                game.omniscient.value(f"certificates(the(p in player where p.index == {self._of.seats.index(name)}))")
            )
            result[f"P{name}"] = (p["cash"], shares, own, count, worth[name])
        return result

    def _tokens(self, places: Mapping[str, int]) -> tuple[int, list[tuple[str, int]]]:
        """The tokens left, and the hex and city of those on the map."""
        at = [place[3:-1].partition("_stop_")[::2] for place in places if place.startswith("at")]
        return places.get("charter", 0), sorted((hex_.upper(), int(city or 1) - 1) for hex_, city in at)

    def _auction(self, state: Mapping[str, Any]) -> Any:
        left = [x for x, y in state["company"].items() if not y["owner"] and x in self._in_game]
        bids: dict[str, list[tuple[str, int]]] = {}
        for name, bid in state["bid"].items():
            player, _, x = name.partition("_")
            if bid["amount"]:
                bids.setdefault(self._name("company", x), []).append((f"P{player}", bid["amount"]))
        auctioned = state["game"]["game"]["auctioned"]
        return (
            [self._name("company", x) for x in left],
            auctioned and self._name("company", auctioned),
            {name: sorted(of) for name, of in bids.items()},
        )

    def _corporations(self, state: Mapping[str, Any], tokens: Mapping[str, Any]) -> dict[str, Any]:
        result = {}
        for name, c in state["corporation"].items():
            at = dict.fromkeys(("offering", "market"), 0)
            for t, certificate in state["certificate"].items():
                corporation, _, rank = t.rpartition("_")
                if corporation == name and certificate["place"] in at:
                    at[certificate["place"]] += 10 if int(rank) else 20
            result[self._name("corporation", name)] = (
                c["treasury"],
                c["cell"] is not None,
                c["floated"],
                c["par"] or None,
                c["president"] and f"P{c['president']}",
                at["offering"],
                at["market"],
                sorted(self._name("train", t) for t, x in state["train"].items() if x["place"] == f"yard[{name}]"),
                sorted(self._name("company", x) for x, y in state["company"].items() if y["owned_by"] == name),
                c["operated"],
                *self._tokens(tokens[name]),
            )
        return result


def differences(of: Replayed, log: Path) -> list[str]:
    """The differences between positions, one line per entry and field."""
    trace, position, result = trace_of(log), Positions(of), []
    for entry, game in of.positions():
        expected, ours = recorded(trace[entry]), position(game)
        for key, value in expected.items():
            if key not in ours:
                continue
            if json.dumps(value, sort_keys=True) != json.dumps(ours[key], sort_keys=True) and not (
                expected["finished"] and key in ("step", "asked", "round", "passed")
            ):
                result.append(f"{entry} {key}: recorded {value}, here {ours[key]}")
    return result


def options_of(log: Path) -> dict[int, dict[str, Any]]:
    """The alternatives before each played entry, by its id."""
    path = log.with_name(log.name.replace(".log.json.gz", ".options.jsonl.gz"))
    lines = map(json.loads, gzip.decompress(path.read_bytes()).decode().splitlines())
    return {line["id"]: line for line in lines}


class Alternatives:
    """The legal options, in the form of the other system's lists of alternatives."""

    def __init__(self, of: Replayed) -> None:
        self._of = of
        self._positions = Positions(of)
        self._corporations = of.game.omniscient.value("corporation").strip("{}").split(", ")

    def name(self, kind: str, argument: str) -> str:
        return self._of.dialect.foreign(kind, argument)

    def price(self, cell: str) -> int:
        return self._positions.price(cell)

    def treasury(self, game: Game, name: str) -> int:
        """The cash of a corporation."""
        return int(game.omniscient.value(f"{self.corporation(name)}.treasury"))

    def corporation(self, name: str) -> str:
        """A corporation by its name in the other system."""
        return next(c for c in self._corporations if self.name("corporation", c) == name)

    def cash(self, game: Game) -> int:
        """The cash of the deciding player."""
        assert game.decision is not None
        asked = self._of.seats.index(str(game.decision.by))
        return int(game.omniscient.value(f"the(p in player where p.index == {asked}).cash"))

    def of_auction(self, game: Game) -> Any:
        amounts: dict[str, list[int]] = {}
        options = list(game.legal_options)
        for option in options:
            if option.name == "make_bid":
                game.apply(option)
                options += game.legal_options
                game.undo()
                break
        for option in options:
            company = option.arguments.get("y") or game.omniscient.value(
                "auctioned ?? first_for_sale() ?? first(company)"
            )
            if option.name == "buy":
                amounts[company] = [int(game.omniscient.value(f"{company}.cost"))]
            elif "amount" in option.arguments:
                amounts.setdefault(company, []).append(int(option.arguments["amount"]))
        return sorted((self.name("company", x), min(of), max(of)) for x, of in amounts.items())

    def of_stock(self, game: Game) -> Any:
        buys, sales, pars = [], [], []
        for option in game.legal_options:
            if "c" not in option.arguments:
                continue
            c = option.arguments["c"]
            name, price = self.name("corporation", c), int(game.omniscient.value(f"price({c})"))
            if option.name == "start":
                pars.append((name, self.price(option.arguments["x"])))
            elif option.name == "buy_offered":
                buys.append(("ipo", name, 10, int(game.omniscient.value(f"{c}.par"))))
            elif option.name == "buy_from_market":
                buys.append(("market", name, 10, price))
            elif option.name == "sell":
                n = int(option.arguments["n"])
                sales.append((name, 10 * n, n * price))
        passes = any(option.name == "end_turn" for option in game.legal_options)
        return sorted(buys), sorted(sales), sorted(pars), passes

    def of_trains(self, game: Game) -> Any:
        result: dict[tuple[str, str], list[int]] = {}
        for option in game.legal_options:
            if "t" not in option.arguments or option.name == "trade_in":
                continue
            t = option.arguments["t"]
            at = game.omniscient.value(f"{t}.place")
            where = self.name("corporation", at[5:-1]) if at.startswith("yard") else at.replace("pool", "discard")
            amount = option.arguments.get("amount") or game.omniscient.value(f"{t}.model.price")
            result.setdefault((self.name("train", t), where), []).append(int(amount))
        return sorted((*key, min(of), max(of)) for key, of in result.items())

    def of_track(self, game: Game, line: Mapping[str, Any]) -> Any:
        """The legal lays, and for the refused ones of a line, the reasons."""
        lays = sorted(
            (option.arguments["h"].upper(), self.name("tile", option.arguments["t"]), int(option.arguments["k"]))
            for option in game.legal_options
            if option.name == "lay"
        )
        refused = []
        for h, t, k, _ in line["refused"]:
            tile = t.lower() if t[0].isalpha() else f"t{t}"
            refusal = game.why_not(game.parse(f"lay({h.lower()}, {tile}, {k})"))
            refused.append((h, t, k, [] if refusal is None else list(refusal.rules)))
        return lays, sorted(refused)

    def of_dividend(self, game: Game, line: Mapping[str, Any]) -> Any:
        """For each way the money that the corporation keeps, and what a player has for ten percent."""
        c, result = self.corporation(line["entity"]), []
        players = [f"the(p in player where p.index == {index})" for index in range(len(self._of.seats))]
        for option in game.legal_options:
            if option.name != "distribute":
                continue
            trial = game.copy()
            for x in trial.omniscient.value("company").strip("{}").split(", "):
                trial.omniscient.set_value(f"{x}.closed", "true")  # a next round would pay for it at once
            read = [f"{c}.treasury", f"in_market({c})"]
            read += [text for p in players for text in (f"{p}.cash", f"held({p}, {c})")]
            before = [int(trial.omniscient.value(text)) for text in read]
            trial.apply(option)
            after = [int(trial.omniscient.value(text)) for text in read]
            cash = zip(before[2::2], after[2::2], before[3::2], strict=True)
            gains = [(new - old) / held for old, new, held in cash if held]
            assert len(set(gains)) == 1
            rest = after[0] - before[0] - gains[0] * before[1]
            result.append((option.arguments["how"], rest, gains[0]))
        return sorted(result)

    def of_tokens(self, game: Game) -> Any:
        """The cities that can hold a token."""
        sites = (option.arguments["x"].split("_stop_") for option in game.legal_options if option.name == "place")
        return sorted((hex_.upper(), int(city or 1) - 1) for hex_, city in sites)


def recorded_options(line: Mapping[str, Any], step: str) -> Any:
    """The other system's list of alternatives in the form of `Alternatives`.

    RAI-AMB-04: the other system accepts any price for the first private company of the row.
    """
    match line["kind"]:
        case "auction":
            first, *others = map(tuple, line["bids"])
            return sorted([(first[0], first[1], first[1] if step == "auction" else first[2]), *others])
        case "stock":
            pars = sorted((name, price) for name, prices in line["par"] for price in prices)
            return sorted(map(tuple, line["buy"])), sorted(map(tuple, line["sell"])), pars, line["pass"]
        case "train":
            pairs = ((t[0], t[1], *(t[2] if isinstance(t[2], list) else (t[2], t[2]))) for t in line["trains"])
            return sorted(pairs)
        case "track":
            refused = ((h, t, k, [REFUSED[why]]) for h, t, k, why in line["refused"])
            return sorted(map(tuple, line["lays"])), sorted(refused)
        case "token":
            return sorted(map(tuple, line["cities"]))
        case "dividend":
            return sorted(map(tuple, line["kinds"]))
    return None


def different_options(of: Replayed, log: Path) -> list[str]:
    """The differences between alternatives, one line per entry; a list that is compared with nothing is one."""
    lines, alternatives, result = options_of(log), Alternatives(of), []
    game, before = Game(of.ruleset, of.seats, of.settings, of.backend), 0
    by_hand = [(None, entry) for entry, line in lines.items() if line["act"] == "end_game"]
    for move, entry in [*zip(of.moves, of.entries, strict=True), *by_hand]:
        step = game.decision.name if game.decision is not None else ""
        line = lines.get(entry) if step in STEPS and entry != before else None  # chance belongs to the entry after it
        if line is not None:
            kind = line["kind"]
            ours = None
            if kind == "auction" and step in ("auction", "contest"):
                ours = alternatives.of_auction(game)
            elif kind == "stock" and step == "stock_turn":
                ours = alternatives.of_stock(game)
            elif kind == "train" and step in ("trains", "help"):
                ours = alternatives.of_trains(game)
            elif kind == "track" and step == "track":
                ours = alternatives.of_track(game, line)
            elif kind == "token" and step == "token":
                ours = alternatives.of_tokens(game)
            elif kind == "dividend" and step == "dividend":
                ours = alternatives.of_dividend(game, line)
            expected = recorded_options(line, step)
            if kind == "auction" and ours is not None:  # RAI-AUC-04: the other system counts such bids as cash
                cash = alternatives.cash(game)
                expected = [(x, least, min(most, cash)) for x, least, most in expected if least <= cash]
            if kind == "train":  # RAI-TRN-10: the other system lists unaffordable ones
                money = alternatives.treasury(game, line["entity"])
                money += alternatives.cash(game) if step == "help" else 0
                expected = [(*t, least, min(most, money)) for *t, least, most in expected if least <= money]
            del lines[entry]
            if ours != expected:
                result.append(f"{entry} {kind}: recorded {expected}, here {ours}")
        if step in STEPS:
            before = entry
        if move is not None:
            game.apply(move)
    return result + [f"{entry} {line['kind']}: not compared" for entry, line in lines.items()]
