"""Who belongs to whom at the least cost: the assignment problem on a small table of gains."""

from __future__ import annotations

from collections.abc import Mapping


def best_pairs(gains: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """The pairs (row to column) with the largest sum of gains, each row and column in one pair at most.

    `gains` holds what pairing the two saves over leaving both alone; pairs that save nothing are never made.
    Cubic in the number of rows (Kuhn and Munkres), so for tables of up to some hundred rows.
    """
    wanted = {pair: gain for pair, gain in gains.items() if gain > 0}
    rows = sorted({row for row, _ in wanted})
    columns = sorted({column for _, column in wanted})
    table = [[-wanted.get((row, column), 0) for column in columns] for row in rows]
    if len(columns) < len(rows):
        table = [row + [0] * (len(rows) - len(columns)) for row in table]
    chosen = _assigned(table)
    return {
        rows[row]: columns[column]
        for row, column in sorted(chosen.items())
        if column < len(columns) and (rows[row], columns[column]) in wanted
    }


def _assigned(table: list[list[int]]) -> dict[int, int]:
    """The column of each row at the least sum, by shortest augmenting paths; needs as many columns as rows."""
    width = len(table[0]) if table else 0
    row_price = [0] * (len(table) + 1)
    column_price = [0] * (width + 1)
    owner = [0] * (width + 1)
    for row in range(1, len(table) + 1):
        way = _shortest_way(table, row, owner, row_price, column_price)
        column = next(iter(way))
        while column:
            owner[column] = owner[way[column]]
            column = way[column]
    return {row - 1: column - 1 for column, row in enumerate(owner) if row and column}


def _shortest_way(
    table: list[list[int]], row: int, owner: list[int], row_price: list[int], column_price: list[int]
) -> dict[int, int]:
    """From the free column that `row` can reach most cheaply, first in the result, back along the path; prices move."""
    width = len(owner) - 1
    far = float("inf")
    distance: list[float] = [far] * (width + 1)
    came: dict[int, int] = {}
    done: set[int] = set()
    owner[0] = row
    column = 0
    while owner[column]:
        done.add(column)
        at = owner[column]
        for other in range(1, width + 1):
            if other not in done:
                reduced = table[at - 1][other - 1] - row_price[at] - column_price[other]
                if reduced < distance[other]:
                    distance[other], came[other] = reduced, column
        nearest = min((other for other in range(1, width + 1) if other not in done), key=lambda other: distance[other])
        step = int(distance[nearest])
        for other in range(width + 1):
            if other in done:
                row_price[owner[other]] += step
                column_price[other] -= step
            else:
                distance[other] -= step
        column = nearest
    way = {column: came[column]}
    while way[column]:
        column = way[column]
        way[column] = came[column]
    return way
