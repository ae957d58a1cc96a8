"""The verbs and their options. A verb's work is in the module of its name, imported when it is called."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from . import check_options as given

# Without markup typer never imports rich, which is half of the time that --help takes.
app = typer.Typer(
    name="mha-spec",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_STATUSES = (
    "\b\n"
    "Exit status:\n"
    "  0    every claim holds\n"
    "  1    a claim is refuted or undecided\n"
    "  2    bad input, with a message that says what and where\n"
    "  3    a fault of mha-spec itself\n"
    "  130  interrupted"
)

_EXAMPLES = (
    "\b\n"
    "Examples:\n"
    "  mha-spec prove\n"
    "  mha-spec prove 'projection_weights == 4*d_model**2'\n"
    "  mha-spec prove --drop H1 'multiplications independent of h'"
)

_CHECK_EXAMPLES = (
    "\b\n"
    "Examples:\n"
    "  mha-spec check config.json\n"
    "  mha-spec check config.json --claim 'kv_heads == 8' --seq 8192\n"
    "  mha-spec check a/config.json --vs b/config.json\n"
    "  mha-spec check --d-model 512 --heads 8 --vary h=1,2,4,8"
)

_EXPLAIN_EXAMPLES = (
    "\b\n"
    "Examples:\n"
    "  mha-spec explain\n"
    "  mha-spec explain parameters\n"
    "  mha-spec explain parameters --set d_model=1024,h=16\n"
    "  mha-spec explain parameters --format latex"
)

_VERIFY_EXAMPLES = (
    "\b\n"
    "Examples:\n"
    "  mha-spec verify my_project.attention:factory\n"
    "  mha-spec verify layer.py:factory --laws '*mask*' --examples 300\n"
    "  mha-spec verify torch.nn:MultiheadAttention --format json"
)


class Witness(StrEnum):
    """The kinds of second witnesses; typer reads no list of literals."""

    ROCQ = "rocq"
    SMT = "smt"


def _print_version(wanted: bool) -> None:
    """Print the version and leave, if ``--version`` was given."""
    if wanted:
        from .. import __version__

        typer.echo(f"mha-spec {__version__}")
        raise typer.Exit


@app.callback(epilog=_STATUSES)
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Decide statements about multi-head attention, and show why."""


@app.command(epilog=_EXAMPLES)
def prove(
    claims: Annotated[list[str] | None, typer.Argument(metavar="CLAIM", hidden=True)] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="H", help="Do without a hypothesis, H1 to H6 (repeatable).")
    ] = None,
    hold: Annotated[
        list[str] | None,
        typer.Option(metavar="SIZE", help="Keep a size fixed while h varies, such as d_k (repeatable)."),
    ] = None,
    free: Annotated[bool, typer.Option("--free", help="Do without all six hypotheses.")] = False,
    designs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Confirm each proof by counted runs of N drawn designs.")
    ] = 12,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", metavar="text|json", help="Form of the output.")
    ] = "text",
    witness: Annotated[
        list[Witness] | None,
        typer.Option(metavar="rocq|smt", help="Have Rocq, or z3 and cvc5, judge the claims too (repeatable)."),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", file_okay=False, help="Keep what the witnesses are asked, as .v and .smt2."),
    ] = None,
) -> None:
    """Prove or refute claims about what a layer costs, for all sizes.

    Without a claim: prove every theorem that comes with mha-spec.

    A claim compares two sums of sizes and quantities, or says that a sum is independent of h. It is PROVED
    with a certificate that is checked in integers, REFUTED with its smallest counterexample, or UNKNOWN,
    which never counts as a pass.
    """
    if write and not witness:
        raise typer.BadParameter("it keeps what witnesses are asked; add --witness rocq or smt", param_hint="--write")
    from .prove import run
    from .witnesses import KINDS, Wanted

    raise typer.Exit(
        run(
            tuple(claims or ()),
            drop=tuple(drop or ()),
            hold=tuple(hold or ()),
            free=free,
            designs=designs,
            output=output,
            wanted=Wanted(tuple(kind for kind in KINDS if kind in (witness or ())), write),
        )
    )


@app.command(epilog=_EXPLAIN_EXAMPLES)
def explain(
    name: Annotated[str | None, typer.Argument(metavar="NAME", hidden=True)] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SIZE=N,...", help="Show the steps at these sizes (repeatable)."),
    ] = None,
    designs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Confirm each claim by counted runs of N drawn designs.")
    ] = 12,
    output: Annotated[
        Literal["text", "markdown", "latex", "json"],
        typer.Option("--format", metavar="text|markdown|latex|json", help="Form of the output."),
    ] = "text",
) -> None:
    """Show a theorem with its proof, step by step and in numbers.

    Without a name: list every theorem that comes with mha-spec.

    Each step says why it holds and which hypotheses it uses, and each hypothesis that is needed comes with the
    smallest design at which the theorem fails without it. Sizes that are not set follow from those that are, or are
    those of the paper: d_model = 512, h = 8, n = 10.
    """
    from .explain import run

    raise typer.Exit(run(name, settings=tuple(settings or ()), output=output, designs=designs))


@app.command(epilog=_VERIFY_EXAMPLES)
def verify(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="package.module:name, or path/to/file.py:name.")],
    laws: Annotated[
        list[str] | None, typer.Option(metavar="LAW", help="Only these laws, by name or pattern (repeatable).")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="LAW", help="Not these laws, by name or pattern (repeatable).")
    ] = None,
    examples: Annotated[int, typer.Option(metavar="N", min=1, help="Cases for each law.")] = 100,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Another seed draws other cases.")] = 0,
    stop_after: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Run no further law after K failures.")
    ] = None,
    replay: Annotated[
        str | None, typer.Option(metavar="CASE", help="Run exactly the case that a failure printed.")
    ] = None,
    fixed: Annotated[
        bool, typer.Option("--fixed", help="The layer is ready-made: its parameters cannot be set.")
    ] = False,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", min=1.0, help="The most that one law may take.")
    ] = 60.0,
    strict: Annotated[bool, typer.Option("--strict", help="A known failure that passes counts as a failure.")] = False,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", metavar="text|json", help="Form of the output.")
    ] = "text",
) -> None:
    """Run the laws of attention on your layer, in a process of its own.

    TARGET is a factory: called with a design and parameters, it returns layer(x, memory=None, mask=None). Known
    classes, such as torch.nn:MultiheadAttention, are named directly. Each law PASSes or FAILs with the smallest
    case found; SKIP, XFAIL, XPASS and UNKNOWN say why. Verifying runs the target's code.
    """
    from .verify import Wanted, run

    wanted = Wanted(laws or (), exclude or (), examples, seed, stop_after, fixed, replay, time_limit)
    raise typer.Exit(run(target, wanted, output=output, strict=strict))


@app.command(epilog=_CHECK_EXAMPLES)
def check(
    configs: given.Configs = None,
    claims: given.Claims = None,
    seq: given.Seq = None,
    batch: given.Batch = 1,
    dtype: given.Dtype = "bfloat16",
    causal: given.Causal = "full",
    versus: given.Versus = None,
    vary: given.Vary = None,
    hold: given.Hold = None,
    plot: given.Plot = None,
    d_model: given.DModel = None,
    heads: given.Heads = None,
    kv_heads: given.KvHeads = None,
    head_dim: given.HeadDim = None,
    value_dim: given.ValueDim = None,
    d_memory: given.DMemory = None,
    layers: given.Layers = 1,
    bias: given.Bias = False,
    assume_like: given.AssumeLike = None,
    cross_check: given.CrossCheck = False,
    strict: given.Strict = False,
    output: given.Output = "text",
) -> None:
    """Check a model's config.json before it is used: exact sizes, costs, and which claims apply.

    CONFIG is a config.json, or - for standard input; without one, the models of [tool.mha-spec] in pyproject.toml
    or of claims.toml are checked. The textbook's claims inform: each HOLDS by a theorem, holds by COINCIDENCE, FAILS
    with the ratio, or is NOT COVERED because of a key that is not understood. A claim of your own that does not hold
    fails the run.
    """
    from mha_spec.models.checking import Wanted

    from .check import CheckOptions, run

    flags = {"d_model": d_model, "h": heads, "kv_heads": kv_heads, "d_k": head_dim, "d_v": value_dim}
    options = CheckOptions(
        Wanted(seq, batch, dtype, causal, tuple(claims or ())),
        tuple((name, size) for name, size in {**flags, "d_memory": d_memory}.items() if size is not None),
        *(layers, bias, assume_like, versus, vary, tuple(hold or ()), plot, cross_check, strict, output),
    )
    raise typer.Exit(run(tuple(configs or ()), options))
