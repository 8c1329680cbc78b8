"""Train the standards that come with the package anew, or others of your own.

    python tools/build_standards.py                      # parity and workforce, into the package
    python tools/build_standards.py --dose 0.3 --out DIR # any other dose

Seeded: on the same machine and library the same weights come out. Takes a minute or two for each on one core.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from biascheck.reference.specs import BUNDLED_DOSES
from biascheck.reference.training import SEED, train_standard
from biascheck.reference.world import World

BUNDLED = Path(__file__).resolve().parent.parent / "biascheck" / "reference" / "bundled"


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dose", type=float, help="one dose instead of the bundled two")
    parser.add_argument("--out", type=Path, help="folder for that dose")
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    if (chosen.dose is None) != (chosen.out is None):
        parser.error("--dose and --out belong together")
    wanted = {chosen.out: chosen.dose} if chosen.out else {BUNDLED / name: d for name, d in BUNDLED_DOSES.items()}
    for folder, dose in wanted.items():
        model, tokenizer = train_standard(World(dose), seed=chosen.seed)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        print(f"written: {folder} (dose {dose:g})")


if __name__ == "__main__":
    main()
