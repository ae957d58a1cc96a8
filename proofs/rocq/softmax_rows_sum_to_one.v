(* The rows of the softmax are probability distributions.

   Over at least one kept key the weights of a row are not negative and sum to
   one, whatever the scores, the mask and the sizes.

   Main results:
     softmax_rows_sum_to_one
     empty_rows_sum_to_zero     a row without kept keys sums to 0, not to 1

   Hypothesis: `has_kept_key keep m i`, row i has a kept key. Without it the
   sum is 0, as the second result shows. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

Theorem softmax_rows_sum_to_one : forall S keep m i,
  has_kept_key keep m i ->
  (forall j, 0 <= weights S keep m i j) /\
  sum (fun j => weights S keep m i j) m = 1.
Proof.
  intros S keep m i H.
  pose proof (row_total_pos S keep m i H) as Z.
  split.
  - (* an exponential over a positive total, or 0 *)
    intros j. unfold weights. destruct (keep i j); [|lra].
    apply Rlt_le, Rdiv_lt_0_compat; [apply exp_pos|assumption].
  - (* the common denominator leaves the sum; what remains is that denominator *)
    rewrite (sum_ext _ (fun j => (if keep i j then exp (S i j) else 0)
                                 / row_total S keep m i))
      by (intros; apply weights_quotient).
    rewrite sum_div. apply Rinv_r. lra.
Qed.

Theorem empty_rows_sum_to_zero : forall S keep m i,
  ~ has_kept_key keep m i -> sum (fun j => weights S keep m i j) m = 0.
Proof.
  intros S keep m i H. apply sum_zero. intros j Hj.
  apply weights_hidden. destruct (keep i j) eqn:K; [|reflexivity].
  exfalso; apply H; exists j; auto.
Qed.

Print Assumptions softmax_rows_sum_to_one.
Print Assumptions empty_rows_sum_to_zero.
