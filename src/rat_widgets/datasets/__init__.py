"""Small bundled label tables with source and licence, and two reference points.

``load("ray_docs")``, ``load("squad_mistral")``, ``load("mtrag_human")``,
``load("openqa_nq301")`` and ``load("llmjudge_r")`` are data frames whose ``attrs`` say where they
come from; ``load("qwen")`` and ``load("apertus")`` are `Theta`.
"""

from rat_widgets.datasets.tables import about, list, load, names  # noqa: A004 - a public name

__all__ = ["about", "list", "load", "names"]
