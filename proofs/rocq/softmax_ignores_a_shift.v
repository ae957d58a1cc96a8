(* The softmax ignores a shift of each row.

   Subtracting from the scores of every row a number of its own changes no
   weight. The number may be anything: the row maximum that implementations
   subtract so that no exponential overflows, a running maximum, or 0.

   Main results:
     softmax_ignores_a_shift
     attention_ignores_a_shift   the same for the output

   Hypothesis: `j < m`, the key is one of the m keys. A row may be empty: its
   weights are 0 on both sides. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

(* exp (x - shift) = exp (- shift) * exp x, so the total is scaled ... *)
Lemma row_total_shift : forall S shift keep m i,
  row_total (fun a b => S a b - shift a) keep m i
  = exp (- shift i) * row_total S keep m i.
Proof.
  intros S shift keep m i. unfold row_total. rewrite <- kept_sum_scal.
  apply kept_sum_ext; [reflexivity|]. intros j _ _.
  rewrite <- exp_plus. f_equal. ring.
Qed.

Theorem softmax_ignores_a_shift : forall S (shift : nat -> R) keep m i j,
  (j < m)%nat ->
  weights (fun a b => S a b - shift a) keep m i j = weights S keep m i j.
Proof.
  intros S shift keep m i j Hj. unfold weights.
  destruct (keep i j) eqn:K; [|reflexivity].
  assert (Z : 0 < row_total S keep m i) by (apply row_total_pos; exists j; auto).
  (* ... and so is each exponential, by the same positive factor *)
  rewrite row_total_shift.
  replace (S i j - shift i) with (- shift i + S i j) by ring. rewrite exp_plus.
  pose proof (exp_pos (- shift i)). field. lra.
Qed.

Theorem attention_ignores_a_shift : forall S (shift : nat -> R) keep V m i c,
  attention (fun a b => S a b - shift a) keep V m i c = attention S keep V m i c.
Proof.
  intros S shift keep V m i c. apply sum_ext. intros j Hj.
  rewrite softmax_ignores_a_shift by assumption. reflexivity.
Qed.

Print Assumptions softmax_ignores_a_shift.
Print Assumptions attention_ignores_a_shift.
