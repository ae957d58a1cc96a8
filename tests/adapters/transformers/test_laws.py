"""Attention modules of transformers pass the laws, or fail only as they declare."""

from __future__ import annotations

import pytest

from mha_spec.adapters import load_factory
from mha_spec.conformance import verify

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

HERE = "mha_spec.adapters.transformers"
GRADIENTS = {"gradients_are_finite_beside_empty_rows"}
OVERFLOW = {"half_precision_scores_do_not_overflow_before_the_scale"}
VIEWS = {"views_equal_copies"}

EXPECTED = {
    "transformers.models.bert.modeling_bert:BertSelfAttention": set(),
    "transformers.models.bert.modeling_bert:BertCrossAttention": set(),
    "transformers.models.gpt2.modeling_gpt2:GPT2Attention": VIEWS,
    "transformers.models.llama.modeling_llama:LlamaAttention": set(),
    "transformers.models.gemma.modeling_gemma:GemmaAttention": set(),
    "transformers.models.t5.modeling_t5:T5Attention": set(),
    "transformers.models.falcon.modeling_falcon:FalconAttention": set(),
    "transformers.models.gpt_neox.modeling_gpt_neox:GPTNeoXAttention": set(),
    f"{HERE}.bert:eager": set(),
    f"{HERE}.bert:cross_eager": OVERFLOW,
    f"{HERE}.gpt2:eager": VIEWS,
    f"{HERE}.gpt2:cross": VIEWS,
    f"{HERE}.gpt2:cross_eager": VIEWS | OVERFLOW,
    f"{HERE}.llama:eager": GRADIENTS,
    f"{HERE}.gemma:eager": GRADIENTS,
    f"{HERE}.t5:eager": set(),
    f"{HERE}.falcon:eager": set(),
    f"{HERE}.falcon:new_decoder": set(),
    f"{HERE}.neox:eager": GRADIENTS,
}
DECODERS = [
    target for target in EXPECTED if any(name in target for name in ("gpt2", "llama", "gemma", "falcon", "neox"))
]


@pytest.mark.parametrize("target", EXPECTED)
def test_it_passes_the_laws_or_fails_as_declared(target: str) -> None:
    report = verify(load_factory(target), examples=20, isolated=False)
    found = {one.law: one.outcome for one in report.outcomes if one.outcome not in ("PASS", "SKIP")}
    assert found == dict.fromkeys(EXPECTED[target], "XFAIL"), report.text()
    assert sum(one.outcome == "PASS" for one in report.outcomes) >= 40


@pytest.mark.parametrize("target", [target for target in DECODERS if "cross" not in target])
def test_a_decoder_decodes_on_the_librarys_cache(target: str) -> None:
    """All three laws of decoding are exercised in every case."""
    laws = ["token_by_token*", "chunk_by_chunk*", "a_reset*"]
    report = verify(load_factory(target), laws=laws, examples=20, isolated=False)
    assert [(one.outcome, one.exercised) for one in report.outcomes] == [("PASS", 20)] * 3, report.text()
