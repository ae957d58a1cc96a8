"""Every wrong layer dies, every law kills one, and every reported kind that outputs can show has a mutant.

Two seeds by default; five where the environment has MHA_SPEC_THOROUGH=1.
"""

from __future__ import annotations

import os

import pytest

from mha_spec.conformance import verify
from mha_spec.conformance.laws import Law, catalogue
from mutants.matrix import judged
from mutants.registry import Mutant, mutants

SEEDS = range(5 if os.environ.get("MHA_SPEC_THOROUGH") == "1" else 2)
MUTANTS = mutants()
LAWS = {law.name: law for law in catalogue()}

# The kinds of reported bugs that a layer's inputs and outputs can show.
KINDS = """
backward-wrong batch-first-axis cache-decode-causal cache-mask-shape causal-alignment causal-dropped
causal-path-divergence dropout-at-eval dropout-weights embed-dim-assumed exp-overflow export-shape-frozen fp16-scores
fully-masked-nan fully-masked-path-divergence gqa-indivisible gqa-repeat-vs-tile head-split-order inplace-noop
kdim-vdim mask-after-softmax mask-broadcast-axis mask-combine mask-dropped mask-dtype mask-fast-path-shape
mask-polarity mask-square-assumed need-weights-divergence option-ignored scale-backend-mismatch scale-inverted
scale-missing softmax-axis softmax-axis-batch tail-block value-dim-assumed window-off-by-one wo-missing zero-length
"""

# For each law, one wrong layer that it kills by itself.
KILLS = {
    "it_runs_on_every_design_it_accepts": "OutputInFloat64",
    "it_equals_the_definition": "OutputProjectionTransposedWhenSquare",
    "it_equals_the_definition_with_options": "SoftcapWithoutTheFactor",
    "it_equals_the_definition_in_low_precision": "WeightsRoundedToHalf",
    "it_equals_the_definition_on_long_sequences": "QueriesBeyondSixtyFourRepeatTheLast",
    "it_runs_on_long_sequences": "AtMostSixtyFourTokens",
    "it_accepts_sizes_of_zero": "NoTokensRaise",
    "two_keys_pin_the_scale": "ScaleTwiceOverTheWidth",
    "large_scores_stay_finite": "MaximumOfTheFirstRow",
    "half_precision_scores_do_not_overflow_before_the_scale": "ScaleAfterTheProductInHalf",
    "rows_of_weights_sum_to_one": "WeightsAreScaledByTheDropoutRate",
    "hidden_keys_get_no_weight": "SoftcapAfterMask",
    "weights_equal_the_definition": "WeightsBeforeTheMask",
    "asking_for_weights_changes_no_output": "AskingForWeightsTurnsOffCausality",
    "weights_explain_the_output": "ValuesOfTheKeyWidth",
    "permuting_queries_permutes_outputs": "HeadsMergedWithoutTranspose",
    "permuting_tokens_permutes_outputs": "HeadsSplitWithoutTranspose",
    "permuting_keys_and_values_changes_nothing": "KeyBiasOnlyOnTheFirstKey",
    "permuting_heads_with_their_blocks_changes_nothing": "FirstHeadCountsDouble",
    "masking_a_key_equals_deleting_it": "HiddenScoresSetToMinusThirty",
    "padding_equals_truncating": "MaskTransposedWhenSquare",
    "a_mask_that_hides_nothing_changes_nothing": "AMaskOfAllTrueHidesTheLastKey",
    "a_mask_and_causality_must_both_allow": "MaskOrCausality",
    "an_empty_row_harms_no_other": "EmptyRowHarmsTheBatch",
    "an_empty_row_gives_what_is_declared": "EmptyRowIsUniformOverVisibleKeys",
    "what_a_hidden_key_holds_reaches_no_output": "HiddenScoresLessAThousand",
    "a_nan_at_a_hidden_key_reaches_no_output": "HiddenNanLeaks",
    "each_entry_alone_equals_its_place_in_the_batch": "KeysOfTheFirstEntryForAll",
    "entries_read_their_own_masks": "MaskReadPerHeadWhenBatchIsHeads",
    "future_tokens_do_not_influence": "CausalitySeesTheNext",
    "every_visible_token_influences": "KeysBeyondSixtyFourDropped",
    "a_prefix_alone_gives_the_first_outputs": "CausalityDroppedBeyondSixtyFour",
    "self_attention_is_attention_to_a_memory_of_itself": "MaskDroppedInCrossAttention",
    "some_queries_of_all_keys_keep_their_places": "CausalityAlignedAtTheOtherCorner",
    "a_window_shows_exactly_its_keys": "WindowOneTooLong",
    "token_by_token_equals_the_whole": "CacheForgetsTheLatestToken",
    "chunk_by_chunk_equals_the_whole": "ChunksAlignedAtTheTopLeft",
    "a_reset_forgets_every_token": "ResetKeepsTheCache",
    "it_is_linear_in_the_output_projection": "ReluAfterTheOutput",
    "it_is_the_sum_of_its_heads": "ResidualAdded",
    "it_is_linear_in_the_values": "ValuesThroughATanh",
    "a_head_without_output_rows_has_no_influence": "HeadLeaksOnePercent",
    "every_parameter_influences_the_output": "ValueBiasDropped",
    "biases_of_the_keys_change_nothing": "KeyBiasOnlyOnTheFirstKey",
    "grouped_heads_equal_repeated_heads": "GroupsTiled",
    "outputs_lie_between_kept_values": "WeightsSumToTheNumberOfKeys",
    "scores_depend_on_the_product_of_query_and_key_weights": "ScoresInAbsoluteValue",
    "repeating_the_only_key_changes_nothing": "DenominatorHasAnEpsilon",
    "the_same_call_gives_the_same_output_twice": "DropoutLeftOnBeyondEightTokens",
    "an_earlier_call_leaves_no_trace": "MemoryOfTheFirstCallKept",
    "a_call_of_another_length_leaves_no_trace": "CausalityOfTheFirstCall",
    "layers_of_one_factory_share_nothing": "OutputProjectionSharedByShape",
    "an_output_once_given_does_not_change": "OutputBufferUsedAgain",
    "its_arguments_stay_unchanged": "MaskInvertedInPlace",
    "views_equal_copies": "StridesIgnored",
    "arguments_may_be_read_only": "WritesIntoItsInputAndRestoresIt",
    "gradients_agree_with_finite_differences": "GradientOfOneHeadOfAGroup",
    "gradients_are_finite_beside_empty_rows": "GradientIsNanBesideEmptyRows",
    "gradients_towards_hidden_keys_are_zero": "GradientReachesHiddenKeys",
    "parameter_count_is_the_designs": "BiasesAreNotCounted",
    "parameter_count_does_not_depend_on_the_heads": "ParametersGrowWithHeads",
}


def test_there_are_enough_mutants_and_each_has_its_own_name() -> None:
    assert len(MUTANTS) >= 60
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


def test_every_kind_that_outputs_can_show_has_a_mutant() -> None:
    assert {mutant.kind for mutant in MUTANTS} == set(KINDS.split())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_dies(mutant: Mutant, seed: int) -> None:
    """At the default settings, up to the first law that fails; the laws that usually kill it go first."""
    usual = [law for law, killed in KILLS.items() if killed == mutant.name]
    if any(judged(LAWS[law], mutant.factory(), seed).outcome == "FAIL" for law in usual):
        return
    assert verify(mutant.factory(), isolated=False, stop_after=1, seed=seed).failed


def test_every_law_is_known_to_kill() -> None:
    assert set(KILLS) == set(LAWS)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("law", LAWS.values(), ids=lambda law: law.name)
def test_every_law_kills(law: Law, seed: int) -> None:
    (mutant,) = (mutant for mutant in MUTANTS if mutant.name == KILLS[law.name])
    assert judged(law, mutant.factory(), seed).outcome == "FAIL"
