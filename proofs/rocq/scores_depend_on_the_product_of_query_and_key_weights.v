(* Without query and key biases only the products W_Q W_K^T matter.

   Take two layers without query and key biases, of the same d_k, such that for
   every head the d_model x d_memory matrices W_Q W_K^T agree (W_K of the
   key/value head that the query head reads). Then all their scores agree, and
   their weights, and, if the values and W_O agree, their outputs. The two
   factors cannot be told apart from outside: only their product is learned.

   Main results:
     scores_depend_on_the_product_of_query_and_key_weights
         equal products give equal scores and weights, in every head
     outputs_depend_on_the_product_of_query_and_key_weights
         and equal outputs, when the values and W_O are the same
     scores_are_a_bilinear_form
         the scores are X (W_Q W_K^T) Y^T / sqrt d_k
     with_a_query_bias_the_product_is_not_enough
         a counterexample

   Hypotheses: no biases of queries and keys, because a bias is multiplied with
   the other factor alone (the counterexample has the same product, another W_K
   and a query bias). The same d_k, because the scores are divided by its root. *)

From Coq Require Import Reals Lra Lia Arith.
From MhaSpec Require Import FiniteSums Attention Heads.
Open Scope R_scope.

Definition no_query_and_key_biases (P : parameters) : Prop :=
  (forall i a, b_Q P i a = 0) /\ (forall g a, b_K P g a = 0).

(* Entry (x, y) of W_Q W_K^T, for query head i. *)
Definition query_key_product (P : parameters) (d_k group i : nat) : matrix :=
  fun x y => sum (fun a => W_Q P i x a * W_K P (i / group) y a) d_k.

Theorem scores_are_a_bilinear_form :
  forall P X Y d_model d_memory group d_k, no_query_and_key_biases P ->
  forall i r j,
  head_scores (scaled_scores d_k) P X Y d_model d_memory group i r j
  = sum (fun x => sum (fun y => X r x * query_key_product P d_k group i x y * Y j y)
                      d_memory) d_model / sqrt (INR d_k).
Proof.
  intros P X Y d_model d_memory group d_k [BQ BK] i r j.
  unfold head_scores, scaled_scores, scores, queries, keys, project, query_key_product.
  f_equal.
  (* each product of two projections is a double sum *)
  rewrite (sum_ext _ (fun a => sum (fun x => sum (fun y =>
      X r x * W_Q P i x a * (Y j y * W_K P (i / group) y a)) d_memory) d_model)).
  2:{ intros a Ha. rewrite BQ, BK, !Rplus_0_r, <- sum_scal_r.
      apply sum_ext; intros x Hx. rewrite <- sum_scal. reflexivity. }
  (* bring the sum over d_k inside *)
  rewrite sum_swap. apply sum_ext; intros x Hx.
  rewrite sum_swap. apply sum_ext; intros y Hy.
  rewrite (sum_ext _ (fun a => X r x * Y j y * (W_Q P i x a * W_K P (i / group) y a)))
    by (intros; ring).
  rewrite sum_scal. ring.
Qed.

Theorem scores_depend_on_the_product_of_query_and_key_weights :
  forall P P' X Y keep d_model d_memory h group d_k m,
  no_query_and_key_biases P -> no_query_and_key_biases P' ->
  (forall i x y, (i < h)%nat -> (x < d_model)%nat -> (y < d_memory)%nat ->
     query_key_product P d_k group i x y = query_key_product P' d_k group i x y) ->
  forall i r j, (i < h)%nat ->
  let S := head_scores (scaled_scores d_k) P X Y d_model d_memory group i in
  let S' := head_scores (scaled_scores d_k) P' X Y d_model d_memory group i in
  S r j = S' r j /\ ((j < m)%nat -> weights S keep m r j = weights S' keep m r j).
Proof.
  intros P P' X Y keep d_model d_memory h group d_k m B B' E i r j Hi S S'.
  assert (H : forall r j, S r j = S' r j).
  { intros. unfold S, S'. rewrite !scores_are_a_bilinear_form by assumption. f_equal.
    apply sum_ext; intros x Hx. apply sum_ext; intros y Hy. rewrite E by assumption. reflexivity. }
  split; [apply H|]. intros Hj. apply weights_ext; auto.
Qed.

Theorem outputs_depend_on_the_product_of_query_and_key_weights :
  forall P P' X Y keep d_model d_memory h group d_k d_v m,
  no_query_and_key_biases P -> no_query_and_key_biases P' ->
  (forall i x y, (i < h)%nat -> (x < d_model)%nat -> (y < d_memory)%nat ->
     query_key_product P d_k group i x y = query_key_product P' d_k group i x y) ->
  W_V P = W_V P' -> b_V P = b_V P' -> W_O P = W_O P' -> b_O P = b_O P' ->
  forall r c,
  multi_head_attention (scaled_scores d_k) P X Y keep d_model d_memory h group d_v m r c
  = multi_head_attention (scaled_scores d_k) P' X Y keep d_model d_memory h group d_v m r c.
Proof.
  intros P P' X Y keep d_model d_memory h group d_k d_v m B B' E V bV O bO r c.
  unfold multi_head_attention, project. rewrite O, bO. f_equal.
  apply sum_ext; intros column Hc. f_equal. unfold concatenate, head.
  destruct (head_index_split _ _ _ Hc) as (Hi & _ & _).
  apply attention_ext; [reflexivity| |].
  - intros j Hj _.
    apply (scores_depend_on_the_product_of_query_and_key_weights
             P P' X Y keep d_model d_memory h group d_k m B B' E _ r j Hi).
  - intros j Hj _. unfold values, project. rewrite V, bV. reflexivity.
Qed.

(* One head of width 1: W_Q = w, W_K = 1/w and the query bias 1. *)
Definition with_query_bias (w : R) : parameters := {|
  W_Q := fun _ _ _ => w;    b_Q := fun _ _ => 1;
  W_K := fun _ _ _ => / w;  b_K := fun _ _ => 0;
  W_V := fun _ _ _ => 1;    b_V := fun _ _ => 0;
  W_O := fun _ _ => 1;      b_O := fun _ => 0
|}.

Theorem with_a_query_bias_the_product_is_not_enough :
  exists P P' X Y,
  (forall x y, query_key_product P 1 1 0 x y = query_key_product P' 1 1 0 x y) /\
  head_scores (scaled_scores 1) P X Y 1 1 1 0 0%nat 0%nat
  <> head_scores (scaled_scores 1) P' X Y 1 1 1 0 0%nat 0%nat.
Proof.
  exists (with_query_bias 1), (with_query_bias 2), (fun _ _ => 0), (fun _ _ => 1). split.
  - intros x y. unfold query_key_product. simpl. lra.
  - (* the scores are 1 * (1/w) *)
    unfold head_scores, scaled_scores, scores, queries, keys, project. simpl.
    rewrite sqrt_1. lra.
Qed.

Print Assumptions scores_depend_on_the_product_of_query_and_key_weights.
Print Assumptions outputs_depend_on_the_product_of_query_and_key_weights.
Print Assumptions scores_are_a_bilinear_form.
Print Assumptions with_a_query_bias_the_product_is_not_enough.
