"""Make the bundled label tables from their public sources: ``python scripts/make_datasets.py``.

Only labels leave the sources: questions become numbers, answers and contexts are not read.
The same sources give the same bytes; ``--check`` compares instead of writing.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT.parent / "shared" / "data"
TARGET = ROOT / "src" / "rat_widgets" / "datasets"

ABOUT: dict[str, dict[str, str]] = {
    "ray_docs": {
        "title": "48 retrieval-augmented systems on 177 questions over the Ray documentation",
        "source": "https://github.com/ray-project/llm-applications, commit "
        "2044d3faac9489379d3af5f555bbc36c4d7b33f6, folder experiments and "
        "datasets/eval-dataset-v1.jsonl",
        "licence": "CC-BY-4.0",
        "licence_url": "https://creativecommons.org/licenses/by/4.0/",
        "attribution": "Copyright 2023 Anyscale, Inc.",
        "citation": "Anyscale, Inc. (2023). LLM applications: evaluation of retrieval-augmented "
        "systems over the Ray documentation. github.com/ray-project/llm-applications.",
        "changes": "Reduced to labels: questions are numbered, all texts are left out. R: a page "
        "that answers the question is among the retrieved chunks. A: a rule finds a refusal in "
        "the first 220 characters of the answer. T: the source's GPT-4 judge gave 4 or 5 of 5, "
        "and the rule did not find a refusal: 94 answers that the judge liked are abstentions by "
        "the rule, and have T=0 here.",
        "notes": "Paired: every system ran on the same questions. R is a gold label, A a rule, "
        "T the verdict of a language model; no person labelled A or T. The without-context "
        "systems have R=0 by construction.",
    },
    "squad_mistral": {
        "title": "Mistral over SQuAD passages: three retrieval conditions, five seeds",
        "source": "https://github.com/Saket-Maganti/rag-hallucination-detection, commit "
        "e08919d28e1a238743ac5d2e851f2d9e0c9bf5e2, files "
        "data/revision/fix_02/squad_seed{41..45}_partial_*.csv",
        "licence": "MIT according to the source's README (there is no licence file); questions "
        "and contexts come from SQuAD, CC-BY-SA-4.0, and are not in this table",
        "licence_url": "https://creativecommons.org/licenses/by-sa/4.0/",
        "attribution": "Saket Maganti (labels' source); Rajpurkar et al. (SQuAD)",
        "citation": "Maganti, S. RAG hallucination detection. "
        "github.com/Saket-Maganti/rag-hallucination-detection.",
        "changes": "Reduced to labels: questions are numbered, all texts and scores are left out. "
        "R: the normalised gold answer occurs in the retrieved context. A: a rule finds a refusal "
        "in the first 160 characters of the answer. T: the normalised gold answer occurs in the "
        "answer. A question that was drawn twice for one seed has two numbers.",
        "notes": "Conditions are paired within a seed; seeds drew partly overlapping samples of "
        "questions. R and T come from string matching, A from a rule. 959 of the 7,500 rows have "
        "A=1 and T=1, hedged answers of the kind 'the context does not say, but ...': read the "
        "table with on_contradiction=.",
    },
}


def main() -> int:
    """Write the tables, or compare them with what is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, default=SOURCES, help="folder of the source tables")
    parser.add_argument("--target", type=Path, default=TARGET, help="where the tables go")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    stale = []
    for path, content in made_files(arguments.sources, arguments.target).items():
        if not arguments.check:
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            stale.append(path.name)
    if stale:
        print(f"Not what the sources give: {', '.join(stale)}.", file=sys.stderr)
    return 1 if stale else 0


def made_files(sources: Path, target: Path) -> dict[Path, bytes]:
    """Content of every file, by path."""
    tables = {
        "ray_docs": ray_docs(read_rows(sources / "anyscale_ray.csv")),
        "squad_mistral": squad_mistral(read_rows(sources / "squad_mistral.csv")),
    }
    files = {}
    for name, blocks in tables.items():
        table = {"kind": "label_table", "version": 1, "name": name, "blocks": blocks}
        files[target / f"{name}.json"] = as_bytes(table)
        files[target / f"{name}.about.json"] = as_bytes({"name": name, **ABOUT[name]})
    return files


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ray_docs(rows: Iterable[dict[str, str]]) -> list[dict[str, Any]]:
    """One block: every system answered every question; an abstention solves none."""
    digits: dict[str, dict[int, str]] = defaultdict(dict)
    for row in rows:
        solved = row["T"] if row["A"] == "0" else "0"
        digits[row["system"]][int(row["qid"])] = digit({**row, "T": solved})
    return [block({}, digits)]


def squad_mistral(rows: Iterable[dict[str, str]]) -> list[dict[str, Any]]:
    """One block per seed: the conditions of a seed share their questions."""
    number: dict[tuple[str, int], int] = {}
    blocks: dict[int, dict[str, dict[int, str]]] = {}
    for row in rows:
        seed, condition, question = int(row["seed"]), row["condition"], row["qid"]
        digits = blocks.setdefault(seed, defaultdict(dict))
        again = 0
        while number.get((question, again)) in digits[condition]:
            again += 1
        item = number.setdefault((question, again), len(number))
        digits[condition][item] = digit(row)
    return [block({"seed": seed}, blocks[seed]) for seed in sorted(blocks)]


def digit(row: dict[str, str]) -> str:
    """R, A and T of one row as one digit, 4 R + 2 A + T."""
    return str(4 * int(row["R"]) + 2 * int(row["A"]) + int(row["T"]))


def block(shared: dict[str, int], digits: dict[str, dict[int, str]]) -> dict[str, Any]:
    """Rows that share their items: one string of digits per system."""
    items = sorted(next(iter(digits.values())))
    for system, labels in digits.items():
        if sorted(labels) != items:
            raise ValueError(f"{system} does not have the items of the other systems")
    systems = {system: "".join(digits[system][item] for item in items) for system in sorted(digits)}
    return {**shared, "items": items, "systems": systems}


def as_bytes(content: dict[str, Any]) -> bytes:
    """JSON text, one line per list and per entry."""
    text = json.dumps(content, ensure_ascii=True, indent=1)
    lines, buffer = [], ""
    for line in text.splitlines():
        bare = line.strip().rstrip(",")
        if bare.isdigit():
            buffer += line.strip() + (" " if line.endswith(",") else "")
            continue
        lines += [buffer, line] if buffer else [line]
        buffer = ""
    return ("\n".join(lines) + "\n").encode("ascii")


if __name__ == "__main__":
    sys.exit(main())
