"""The options of ``mha-spec check``, each with its help; the verb is declared in `app`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

Configs = Annotated[list[str] | None, typer.Argument(metavar="CONFIG", hidden=True)]
Claims = Annotated[
    list[str] | None,
    typer.Option("--claim", metavar="CLAIM", help="A claim of your own about every layer (repeatable)."),
]
Seq = Annotated[int | None, typer.Option(metavar="N", min=1, help="Tokens; without it the model's own maximum.")]
Batch = Annotated[int, typer.Option(metavar="N", min=1, help="Sequences.")]
Dtype = Annotated[
    Literal["float64", "float32", "float16", "bfloat16", "float8", "int8"],
    typer.Option(metavar="DTYPE", help="Of the cache and the scores, such as bfloat16."),
]
Causal = Annotated[
    Literal["full", "kept"],
    typer.Option(metavar="full|kept", help="Count all query-key pairs, or those that causality leaves."),
]
Versus = Annotated[
    str | None, typer.Option("--vs", metavar="CONFIG", help="Compare with another model, claim by claim.")
]
Vary = Annotated[str | None, typer.Option(metavar="h=1,2,4", help="Show what changes as the number of heads varies.")]
Hold = Annotated[
    list[str] | None,
    typer.Option(metavar="SIZE", help="Held while h varies: d_model, d_k or kv_heads (repeatable)."),
]
Plot = Annotated[str | None, typer.Option(metavar="FILE", help="Draw what --vary shows, as SVG or PNG.")]
DModel = Annotated[int | None, typer.Option(metavar="N", min=1, help="Instead of a file: the width.")]
Heads = Annotated[int | None, typer.Option(metavar="N", min=1, help="Heads.")]
KvHeads = Annotated[int | None, typer.Option(metavar="N", min=1, help="Heads of keys and values.")]
HeadDim = Annotated[int | None, typer.Option(metavar="N", min=1, help="Width of a head.")]
ValueDim = Annotated[int | None, typer.Option(metavar="N", min=1, help="Width of a head's values.")]
DMemory = Annotated[int | None, typer.Option(metavar="N", min=1, help="Width of what is read.")]
Layers = Annotated[int, typer.Option(metavar="N", min=1, help="Layers.")]
Bias = Annotated[bool, typer.Option("--bias", help="Each projection has a bias.")]
AssumeLike = Annotated[str | None, typer.Option(metavar="TYPE", help="Read an unknown model type as if it were TYPE.")]
CrossCheck = Annotated[bool, typer.Option("--cross-check", help="Compare with the modules that transformers builds.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="The textbook's claims and all that is not covered count as failures.")
]
Output = Annotated[
    Literal["text", "json", "markdown", "csv", "github"],
    typer.Option("--format", metavar="text|json|markdown|csv|github", help="Form of the output."),
]
