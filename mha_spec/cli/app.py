"""The verbs and their options. A verb's work is in the module of its name, imported when it is called."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

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

_EXPLAIN_EXAMPLES = (
    "\b\n"
    "Examples:\n"
    "  mha-spec explain\n"
    "  mha-spec explain parameters\n"
    "  mha-spec explain parameters --set d_model=1024,h=16\n"
    "  mha-spec explain parameters --format latex"
)


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
) -> None:
    """Prove or refute claims about what a layer costs, for all sizes.

    Without a claim: prove every theorem that comes with mha-spec.

    A claim compares two sums of sizes and quantities, or says that a sum is independent of h. It is PROVED
    with a certificate that is checked in integers, REFUTED with its smallest counterexample, or UNKNOWN,
    which never counts as a pass.
    """
    from .prove import run

    raise typer.Exit(
        run(
            tuple(claims or ()),
            drop=tuple(drop or ()),
            hold=tuple(hold or ()),
            free=free,
            designs=designs,
            output=output,
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
