(* Attention sees its keys as a set, not as a sequence.

   Permuting the keys, the values and the columns of the mask together changes
   no output.

   Main results:
     permuting_keys_and_values_changes_nothing
     permuting_keys_permutes_weights    the weights move with their keys

   Hypothesis: `bijection_below m f g`, f is a permutation of the indices below
   m and g its inverse. Without it a key could be read twice and another never.
   A row may be empty. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

Lemma row_total_permuted : forall S keep m f g i,
  bijection_below m f g ->
  row_total (fun a b => S a (f b)) (fun a b => keep a (f b)) m i
  = row_total S keep m i.
Proof.
  intros S keep m f g i B.
  exact (sum_permutation (fun j => if keep i j then exp (S i j) else 0) m f g B).
Qed.

Theorem permuting_keys_permutes_weights : forall Q K d_k keep m f g i j,
  bijection_below m f g ->
  weights (scores Q (fun b e => K (f b) e) d_k) (fun a b => keep a (f b)) m i j
  = weights (scores Q K d_k) keep m i (f j).
Proof.
  intros Q K d_k keep m f g i j B. unfold weights.
  (* the scores of the permuted keys are the permuted scores, by definition *)
  change (scores Q (fun b e => K (f b) e) d_k)
    with (fun a b => scores Q K d_k a (f b)).
  rewrite (row_total_permuted _ keep m f g i B). reflexivity.
Qed.

Theorem permuting_keys_and_values_changes_nothing :
  forall Q K V d_k keep m f g i c,
  bijection_below m f g ->
  scaled_dot_product_attention
    Q (fun b e => K (f b) e) (fun b e => V (f b) e) d_k (fun a b => keep a (f b)) m i c
  = scaled_dot_product_attention Q K V d_k keep m i c.
Proof.
  intros Q K V d_k keep m f g i c B.
  unfold scaled_dot_product_attention, attention.
  (* each term is the term of key f j ... *)
  rewrite (sum_ext _ (fun j => weights (scores Q K d_k) keep m i (f j) * V (f j) c)).
  2:{ intros j _. rewrite (permuting_keys_permutes_weights _ _ _ _ _ f g) by assumption.
      reflexivity. }
  (* ... and a sum does not depend on the order of its terms *)
  exact (sum_permutation (fun j => weights (scores Q K d_k) keep m i j * V j c) m f g B).
Qed.

Print Assumptions permuting_keys_and_values_changes_nothing.
Print Assumptions permuting_keys_permutes_weights.
