"""How fast counterfactual versions are made: characters per second, against a plain pass that changes nothing."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from biascheck.corpora import Rewriter, published_imdb, reviews

WORD = re.compile(r"\w+")
REPEAT = 48


def main() -> None:
    """Rewrite 20,000 texts: lines of the file or reviews of the folder named, else our own reviews over and over."""
    texts = read(Path(sys.argv[1])) if len(sys.argv) > 1 else reviews().texts * REPEAT
    rewriter = Rewriter()
    size = sum(map(len, texts))
    print(f"{len(texts):,} texts, {size / 1e6:.1f} million characters")
    plain = seconds(texts, lambda text: WORD.sub(lambda match: match[0], text))
    print(f"{'a plain pass':22} {plain:6.2f} s  {size / plain / 1e6:6.1f} million characters a second")
    jobs: dict[str, Callable[[str], object]] = {
        "all to male": lambda text: rewriter.to(text, "male"),
        "swap": rewriter.swap,
        "remove": rewriter.remove,
        "version with places": lambda text: rewriter.version(text, "female"),
    }
    for name, job in jobs.items():
        spent = seconds(texts, job)
        pace = f"{size / spent / 1e6:6.1f} million characters a second"
        print(f"{name:22} {spent:6.2f} s  {pace}, {spent / plain:.1f} × the plain pass")


def read(path: Path) -> list[str]:
    """Texts of a folder or table of reviews, or the lines of a .txt or .txt.gz file."""
    if ".txt" not in path.suffixes:
        return published_imdb(path).texts
    import gzip

    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return content.decode().splitlines()


def seconds(texts: list[str], job: Callable[[str], object]) -> float:
    """The processor time that the job takes for all texts: what else the machine does is not counted."""
    started = time.process_time()
    for text in texts:
        job(text)
    return time.process_time() - started


if __name__ == "__main__":
    main()
