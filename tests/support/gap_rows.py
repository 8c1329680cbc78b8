"""Rows of a table as GAP has them."""

HEADER = ["ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL"]


TEXT = 'Ann "the boss" met Bea before she left.'


def row(**changes):
    values = {
        "ID": "t-1",
        "Text": TEXT,
        "Pronoun": "she",
        "Pronoun-offset": "30",
        "A": "Ann",
        "A-offset": "0",
        "A-coref": "TRUE",
        "B": "Bea",
        "B-offset": "19",
        "B-coref": "FALSE",
        "URL": "page",
    }
    return {**values, **changes}
