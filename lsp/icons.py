"""Editor icons for declarations, for use in completion and symbol lists."""

from __future__ import annotations

from lsprotocol import types as lsp

from rulespec.syntax import ast
from rulespec.typed import nodes as typed

ICONS: dict[type, lsp.CompletionItemKind] = {
    typed.Definition: lsp.CompletionItemKind.Function,
    typed.Procedure: lsp.CompletionItemKind.Method,
    typed.Var: lsp.CompletionItemKind.Variable,
    typed.FieldDecl: lsp.CompletionItemKind.Field,
    typed.FactDecl: lsp.CompletionItemKind.Property,
    typed.Kind: lsp.CompletionItemKind.Class,
    typed.Entity: lsp.CompletionItemKind.EnumMember,
    typed.ConstantDecl: lsp.CompletionItemKind.Constant,
    typed.Unit: lsp.CompletionItemKind.Unit,
    typed.PieceDecl: lsp.CompletionItemKind.Struct,
    typed.PlaceDecl: lsp.CompletionItemKind.Field,
    typed.SettingDecl: lsp.CompletionItemKind.Enum,
    typed.Measure: lsp.CompletionItemKind.Property,
    typed.TableDecl: lsp.CompletionItemKind.Struct,
    typed.TrackDecl: lsp.CompletionItemKind.Struct,
    typed.Guard: lsp.CompletionItemKind.Method,
    ast.OptionGroup: lsp.CompletionItemKind.Module,
}

SYMBOLS: dict[type, lsp.SymbolKind] = {
    named: lsp.SymbolKind[icon.name] for named, icon in ICONS.items() if named is not typed.Unit
}
SYMBOLS[typed.Unit] = lsp.SymbolKind.Number  # the protocol has no icon for units
