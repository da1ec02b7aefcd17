"""Make the bundled label tables from their public sources: ``python scripts/make_datasets.py``.

Only labels leave the sources: questions and answers become numbers, contexts are not read.
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

from rat_widgets.datasets.columns import PACKED

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
    "mtrag_human": {
        "title": "Three answerers on 159 conversation turns, R in three levels, judged by people",
        "source": "https://github.com/IBM/mt-rag-benchmark, commit "
        "cc5b1d481b391181b89f7ced860308482e785463, file "
        "mtrag-human/evaluations/reference_subset_with_human_evaluations.json",
        "licence": "Apache-2.0",
        "licence_url": "https://www.apache.org/licenses/LICENSE-2.0",
        "attribution": "The authors of MTRAG, IBM (the source names no copyright holder and has no "
        "NOTICE file)",
        "citation": "Katsis, Y., Rosenthal, S., Fadnis, K., Gunasekara, C., Lee, Y.-S., Popa, L., "
        "Shah, V., Zhu, H., Contractor, D., Danilevsky, M. (2025). MTRAG: A Multi-Turn "
        "Conversational Benchmark for Evaluating Retrieval-Augmented Generation Systems. "
        "Transactions of the ACL 13, 784-808.",
        "changes": "Reduced to labels: tasks, conversations and annotators are numbered, texts, "
        "scores and times are left out. R: the source's people called the question "
        "answerable (all), partially answerable (partial) or unanswerable (none) from the "
        "passages; missing on 6 rows, where the turn asks nothing. A: where R is all or none, "
        "the source's language model that looks for 'I don't know'; where R is partial, a rule "
        "that looks for a refusal in the first 220 characters; 0 where R is missing. ann1 to ann7: "
        "1 where that person gave 3 or 4 of 4 for faithfulness, for completeness and for "
        "appropriateness; missing where the person did not see the answer or left one of the "
        "three out. accepted: more than half of the votes on an answer are 1; 450 answers have "
        "three votes, 27 have two, and 7 ties of those two count as 0. T: accepted and not "
        "declined; 18 of the 28 declined answers were accepted as such, and have T=0 here. "
        "T_judge: the source's language-model judge (RB-LLM) gave at least 0.5 of 1; missing on "
        "the 45 rows that are declined or have R none or missing: the source sets 30 of those "
        "scores by a rule from R and A, and no verdict on a declined answer speaks of T.",
        "notes": 'Levels: retrieval_levels=("none", "partial", "all"). Everybody answered from the '
        "same reference passages, none at all where R is none: R describes the question, not a "
        "retriever, and is the same for the three answerers of an item. 'reference' is the "
        "answer that a person wrote. Turns of one conversation depend on each other: it is a "
        "cluster. R varies little (7 items none, 15 partial). Two people who voted on the same "
        "answer agree in 80 of 100 pairs.",
    },
    "openqa_nq301": {
        "title": "Twelve open-domain readers on 301 questions: people's labels beside four judges",
        "source": "https://github.com/ehsk/OpenQA-eval, commit "
        "8b9317d0f0c92b52e1c71c0168dff74b5f76a5f4, files data/NQ301_*.tsv and data/model_outputs",
        "licence": "MIT; the questions come from Natural Questions, CC-BY-SA-3.0, and are not in "
        "this table",
        "licence_url": "https://github.com/ehsk/OpenQA-eval/blob/"
        "8b9317d0f0c92b52e1c71c0168dff74b5f76a5f4/LICENSE",
        "attribution": "Copyright (c) 2023 Ehsan (Ehsan Kamalloo); licence text in NOTICE",
        "citation": "Kamalloo, E., Dziri, N., Clarke, C. L. A., Rafiei, D. (2023). Evaluating "
        "Open-Domain Question Answering in the Era of Large Language Models. ACL 2023, "
        "arXiv 2305.06984.",
        "changes": "Reduced to labels: texts and scores are left out, the distinct answers to a "
        "question are numbered. T: people call the answer acceptable, by majority of ann1, ann2 "
        "and, on every disagreement and 45 other rows, ann3. A: the answer is 'Unknown.', 21 "
        "rows of one system. T_gpt4 and T_davinci3: verdicts of GPT-4 and text-davinci-003. T_bem: "
        "the BERT matching model gave at least 0.5 of 1 for one of the gold answers. T_em: exact "
        "match with a gold answer. closed_book: the system answered without retrieval.",
        "notes": "There is no R: what the readers retrieved is not in the source "
        "(retrieval=None). Labels belong to the answer, not to the system: systems that gave the "
        "same answer share one label, and the 3,548 rows show 1,303 labelled answers. 64 answers "
        "have no label in the source (27 of EMDR2, 17 of the few-shot model, 10 of DPR), not at "
        "random, and no row here: compare systems on the 251 items that all twelve have. GPT-4 "
        "accepts 9 of the 21 'Unknown.', people none. Missing: T_gpt4 on 1 row, ann2 on 5.",
    },
    "llmjudge_r": {
        "title": "Eight graded judges of retrieved passages beside people, 25 queries",
        "source": "https://github.com/llm4eval/LLMJudge-benchmark, commit "
        "968a1f9c962fddfc6508faa2d45e3e7edd1c3829, files submissions/scores/*.txt (verdicts), and "
        "https://github.com/llm4eval/LLMJudge, commit "
        "81159c68260d383f8da1dad8a14f6d914a9054a9, file data/llmjudge_test_qrel_idx.txt (people's "
        "grades, by NIST's assessors for the Deep Learning track of TREC 2023)",
        "licence": "MIT (verdicts); the repository of people's grades has no licence file",
        "licence_url": "https://github.com/llm4eval/LLMJudge-benchmark/blob/"
        "968a1f9c962fddfc6508faa2d45e3e7edd1c3829/LICENSE",
        "attribution": "Copyright (c) 2023 LLMJudge-Benchmark; licence text in NOTICE",
        "citation": "Rahmani, H. A., Siro, C., Aliannejadi, M., Craswell, N., Clarke, C. L. A., "
        "Faggioli, G., Mitra, B., Thomas, P., Yilmaz, E. (2025). Judging the Judges: A Collection "
        "of LLM-Generated Relevance Judgements. arXiv 2502.13908.",
        "changes": "Reduced to grades: queries and pairs of a query and a passage are numbered, "
        "texts are not read. R: the person's grade. Eight of the source's 33 judges, under the "
        "source's names; those here gave a grade from 0 to 3 to every pair.",
        "notes": "Grades, of people and judges alike: 0 irrelevant, 1 related, 2 highly relevant, "
        "3 perfectly relevant; the track calls 2 and 3 relevant. No system answered here, so there "
        "is no A and no T (abstention=None, task=None). Pairs of one query are alike: it is a "
        'cluster (cluster="query"), and its rows stand together. willia-umbrela1 and '
        "h2oloo-zeroshot1 put the same question to a language model in nearly the same words, and "
        "err together.",
    },
}

MISSING = "."
GRADING = (
    *("willia-umbrela1", "h2oloo-zeroshot1", "h2oloo-fewself", "Olz-exp"),
    *("TREMA-4prompts", "TREMA-rubric0", "RMITIR-llama38b", "NISTRetrieval-reason0"),
)
ANNOTATORS = tuple(f"ann{number}" for number in range(1, 8))
LEVELS = {"UNANSWERABLE": 0, "PARTIAL": 1, "ANSWERABLE": 2, "CONVERSATIONAL": None}

Row = dict[str, str]
Coded = dict[str, int | None]
Labels = dict[str, dict[int, Coded]]


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
        "mtrag_human": mtrag_human(
            read_rows(sources / "mtrag_human.csv"),
            read_rows(sources / "mtrag_human_annotators.csv"),
        ),
        "openqa_nq301": openqa_nq301(
            read_rows(sources / "openqa_nq301_by_system.csv"),
            read_rows(sources / "openqa_nq301.csv"),
        ),
        "llmjudge_r": llmjudge_r(read_rows(sources / "llmjudge_r.csv")),
    }
    files = {}
    for name, content in tables.items():
        table = {"kind": "label_table", "version": 2, "name": name, **content}
        files[target / f"{name}.json"] = as_bytes(table)
        files[target / f"{name}.about.json"] = as_bytes({"name": name, **ABOUT[name]})
    return files


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ray_docs(rows: Iterable[Row]) -> dict[str, Any]:
    """One block: every system answered every question; an abstention solves none."""
    labels: Labels = defaultdict(dict)
    for row in rows:
        declined = int(row["A"])
        solved = 0 if declined else int(row["T"])
        labels[row["system"]][int(row["qid"])] = {"R": int(row["R"]), "A": declined, "T": solved}
    return {"columns": ["item", "system", "R", "A", "T"], "blocks": [block(labels)]}


def squad_mistral(rows: Iterable[Row]) -> dict[str, Any]:
    """One block per seed: the conditions of a seed share their questions."""
    number: dict[tuple[str, int], int] = {}
    blocks: dict[int, Labels] = {}
    for row in rows:
        seed, condition, question = int(row["seed"]), row["condition"], row["qid"]
        labels = blocks.setdefault(seed, defaultdict(dict))
        again = 0
        while number.get((question, again)) in labels[condition]:
            again += 1
        item = number.setdefault((question, again), len(number))
        labels[condition][item] = {column: int(row[column]) for column in "RAT"}
    return {
        "columns": ["item", "system", "seed", "R", "A", "T"],
        "blocks": [block(blocks[seed], shared={"seed": seed}) for seed in sorted(blocks)],
    }


def mtrag_human(rows: list[Row], votes: Iterable[Row]) -> dict[str, Any]:
    """One block: three answerers of the same turns; what is known of a turn is written once."""
    conversations = in_order(row["conversation"] for row in rows)
    collections = sorted({row["collection"] for row in rows})
    number = in_order(row["task_id"] for row in rows)
    turns: dict[int, Coded] = {}
    labels: Labels = defaultdict(dict)
    for row in rows:
        item, level = number[row["task_id"]], LEVELS[row["answerability"]]
        turns[item] = {
            "conversation": conversations[row["conversation"]],
            "turn": int(row["turn"]),
            "collection": collections.index(row["collection"]),
            "R": level,
        }
        declined, accepted = int(row["A"]), int(row["T"])
        by_rule = declined or level in (None, 0)
        labels[row["system"]][item] = {
            "A": declined,
            "T": 0 if declined else accepted,
            "accepted": accepted,
            "T_judge": None if by_rule else int(row["T_judge"]),
            **dict.fromkeys(ANNOTATORS),
        }
    for vote in votes:
        answer = labels[vote["system"]][number[vote["task_id"]]]
        answer[vote["annotator"]] = None if vote["T"] == "" else int(vote["T"])
    return {
        "columns": [
            *("item", "system", "conversation", "turn", "collection", "R", "A", "T"),
            *("accepted", "T_judge", *ANNOTATORS),
        ],
        "texts": {"collection": collections, "R": ["none", "partial", "all"]},
        "blocks": [block(labels, items=turns)],
    }


def openqa_nq301(rows: list[Row], answers: Iterable[Row]) -> dict[str, Any]:
    """Two blocks, readers of passages and closed books; texts only tell who declined."""
    verdicts = ("T", "T_gpt4", "T_davinci3", "T_bem", "T_em", "ann1", "ann2", "ann3")
    declining = {row["item"] for row in answers if row["answer"].strip() == "Unknown."}
    given: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        given[int(row["qid"])].add(int(row["item"]))
    number = {answer: n for same in given.values() for n, answer in enumerate(sorted(same))}
    blocks: dict[int, Labels] = {0: defaultdict(dict), 1: defaultdict(dict)}
    for row in rows:
        closed_book = 1 - int(row["retrieval_augmented"])
        blocks[closed_book][row["system"]][int(row["qid"])] = {
            "answer": number[int(row["item"])],
            "A": int(row["item"] in declining),
            **{name: None if row[name] == "" else int(float(row[name])) for name in verdicts},
        }
    return {
        "columns": ["item", "system", "closed_book", "answer", "A", *verdicts],
        "blocks": [block(blocks[code], shared={"closed_book": code}) for code in (0, 1)],
    }


def llmjudge_r(rows: list[Row]) -> dict[str, Any]:
    """One block per query: no systems, and grades by threes."""
    queries = in_order(row["qid"] for row in rows)
    graded = ("R", *GRADING)
    blocks = []
    first = 0
    for query, code in queries.items():
        own = [row for row in rows if row["qid"] == query]
        grades = [[int(row["R_human"]), *(int(row[judge]) for judge in GRADING)] for row in own]
        packed = {
            " ".join(graded[i : i + 3]): "".join(
                PACKED[16 * a + 4 * b + c] for a, b, c in (row[i : i + 3] for row in grades)
            )
            for i in range(0, len(graded), 3)
        }
        items = {"item": {"first": first, "n": len(own)}, **packed}
        blocks.append({"shared": {"query": code}, "items": items, "systems": {"": {}}})
        first += len(own)
    return {"columns": ["item", "query", *graded], "blocks": blocks}


def in_order(keys: Iterable[str]) -> dict[str, int]:
    """Number of each key, by first appearance."""
    return {key: number for number, key in enumerate(dict.fromkeys(keys))}


def block(
    labels: Labels,
    *,
    shared: dict[str, int] | None = None,
    items: dict[int, Coded] | None = None,
) -> dict[str, Any]:
    """Rows that share their items: columns of all rows, of an item, and of a system's answers.

    An item that a system did not answer is missing in each of the system's columns.
    """
    numbers = sorted({item for answers in labels.values() for item in answers})
    known = items or {}
    return {
        "shared": shared or {},
        "items": {"item": numbers, **coded_columns(known, numbers)},
        "systems": {system: coded_columns(labels[system], numbers) for system in sorted(labels)},
    }


def coded_columns(rows: dict[int, Coded], items: list[int]) -> dict[str, str | list[int | None]]:
    """Each column as a string, one digit or point per item; as a list where a number has more."""
    columns: dict[str, str | list[int | None]] = {}
    for column in dict.fromkeys(key for row in rows.values() for key in row):
        codes = [rows[item][column] if item in rows else None for item in items]
        short = all(code is None or 0 <= code <= 9 for code in codes)
        digits = (MISSING if code is None else str(code) for code in codes)
        columns[column] = "".join(digits) if short else codes
    return columns


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
