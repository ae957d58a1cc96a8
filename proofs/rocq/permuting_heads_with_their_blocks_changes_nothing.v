(* Heads have no order, as long as each keeps what belongs to it.

   Permute the key/value heads, each with all its query heads, and permute the
   query heads within every group; let W_Q, b_Q, the score function and the
   block of W_O follow each query head, and W_K, b_K, W_V, b_V each key/value
   head. The output of the layer does not change.

   With tau the permutation of the key/value heads and rho g the permutation
   within group g, place i of the permuted layer holds query head
   tau (i / group) * group + rho (i / group) (i mod group) of the old layer.

   Main results:
     permuting_heads_with_their_blocks_changes_nothing   as said
     any_permutation_that_keeps_groups_changes_nothing   the same from the other
         side: any permutation sigma of the query heads under which heads of one
         group stay in one group (sigma i / group = tau (i / group))
     permuting_across_groups_changes_the_output          a counterexample

   Hypotheses: tau, each rho g and sigma are bijections (with the inverse named),
   so that no head is lost or used twice. That groups stay together is needed:
   in the counterexample two query heads change places with their blocks of W_O,
   but their key/value heads stay. *)

From Coq Require Import Reals Lra Lia Arith.
From MhaSpec Require Import FiniteSums Attention Heads.
From MhaSpec Require Import concatenated_heads_equal_a_sum_of_blocks.
Open Scope R_scope.

(* Place i holds query head sigma i, with its block of W_O; place g holds
   key/value head tau g. *)
Definition permute_heads (sigma tau : nat -> nat) (d_v : nat) (P : parameters) : parameters := {|
  W_Q := fun i => W_Q P (sigma i);  b_Q := fun i => b_Q P (sigma i);
  W_K := fun g => W_K P (tau g);    b_K := fun g => b_K P (tau g);
  W_V := fun g => W_V P (tau g);    b_V := fun g => b_V P (tau g);
  W_O := fun row c => block (W_O P) d_v (sigma (row / d_v)%nat) (row mod d_v)%nat c;
  b_O := b_O P
|}.

Definition permute_within_groups
    (group : nat) (tau : nat -> nat) (rho : nat -> nat -> nat) (i : nat) : nat :=
  (tau (i / group) * group + rho (i / group) (i mod group))%nat.

Theorem any_permutation_that_keeps_groups_changes_nothing :
  forall score P X Y keep d_model d_memory h group d_v m sigma sigma_inverse tau,
  bijection_below h sigma sigma_inverse ->
  (forall i, (i < h)%nat -> (sigma i / group)%nat = tau (i / group)%nat) ->
  forall r c,
  multi_head_attention (fun i => score (sigma i)) (permute_heads sigma tau d_v P)
    X Y keep d_model d_memory h group d_v m r c
  = multi_head_attention score P X Y keep d_model d_memory h group d_v m r c.
Proof.
  intros score P X Y keep d_model d_memory h group d_v m sigma sigma_inverse tau B G r c.
  rewrite !layer_output_is_a_sum_over_heads. f_equal.
  (* the sum over heads, re-indexed by sigma *)
  transitivity (sum (fun i => sum (fun e =>
      head score P X Y keep d_model d_memory group m (sigma i) r e
      * block (W_O P) d_v (sigma i) e c) d_v) h);
    [|exact (sum_permutation (fun i => sum (fun e =>
      head score P X Y keep d_model d_memory group m i r e
      * block (W_O P) d_v i e c) d_v) h sigma sigma_inverse B)].
  apply sum_ext; intros i Hi. apply sum_ext; intros e He. f_equal.
  - (* the head at place i is head sigma i: its key/value head came with it *)
    unfold head, head_scores. rewrite G by assumption. reflexivity.
  - (* and so did its block *)
    unfold block at 1. simpl.
    rewrite head_index_quotient, head_index_remainder by assumption. reflexivity.
Qed.

(* Permuting within groups and the groups themselves is a permutation. *)
Lemma permute_within_groups_bijection :
  forall kv_heads group tau tau_inverse rho rho_inverse,
  bijection_below kv_heads tau tau_inverse ->
  (forall g, (g < kv_heads)%nat -> bijection_below group (rho g) (rho_inverse g)) ->
  bijection_below (kv_heads * group)
    (permute_within_groups group tau rho)
    (permute_within_groups group tau_inverse (fun g => rho_inverse (tau_inverse g))).
Proof.
  intros kv_heads group tau tau_inverse rho rho_inverse [T T'] B.
  split; intros i Hi; destruct (head_index_split _ _ _ Hi) as (Hg & Hu & Ei);
    set (g := (i / group)%nat) in *; set (u := (i mod group)%nat) in *.
  - destruct (T g Hg) as [Ht Et]. destruct (B g Hg) as [R _]. destruct (R u Hu) as [Hr Er].
    unfold permute_within_groups. fold g u. split; [apply head_index_lt; assumption|].
    rewrite head_index_quotient, head_index_remainder by assumption. rewrite Et, Er. auto.
  - destruct (T' g Hg) as [Ht Et]. destruct (B _ Ht) as [_ R]. destruct (R u Hu) as [Hr Er].
    unfold permute_within_groups. fold g u. split; [apply head_index_lt; assumption|].
    rewrite head_index_quotient, head_index_remainder by assumption. rewrite Et, Er. auto.
Qed.

Theorem permuting_heads_with_their_blocks_changes_nothing :
  forall score P X Y keep d_model d_memory kv_heads group d_v m tau tau_inverse rho rho_inverse,
  bijection_below kv_heads tau tau_inverse ->
  (forall g, (g < kv_heads)%nat -> bijection_below group (rho g) (rho_inverse g)) ->
  let sigma := permute_within_groups group tau rho in
  forall r c,
  multi_head_attention (fun i => score (sigma i)) (permute_heads sigma tau d_v P)
    X Y keep d_model d_memory (kv_heads * group) group d_v m r c
  = multi_head_attention score P X Y keep d_model d_memory (kv_heads * group) group d_v m r c.
Proof.
  intros score P X Y keep d_model d_memory kv_heads group d_v m
    tau tau_inverse rho rho_inverse T B sigma r c.
  apply any_permutation_that_keeps_groups_changes_nothing with
    (sigma_inverse :=
       permute_within_groups group tau_inverse (fun g => rho_inverse (tau_inverse g))).
  - apply permute_within_groups_bijection; assumption.
  - intros i Hi. destruct (head_index_split _ _ _ Hi) as (Hg & Hu & _).
    apply head_index_quotient. apply B; assumption.
Qed.

(* Two heads with the values 0 and 1; W_O multiplies head i by i. *)
Definition two_heads : parameters := {|
  W_Q := fun _ _ _ => 0;      b_Q := fun _ _ => 0;
  W_K := fun _ _ _ => 0;      b_K := fun _ _ => 0;
  W_V := fun g _ _ => INR g;  b_V := fun _ _ => 0;
  W_O := fun e _ => INR e;    b_O := fun _ => 0
|}.

Theorem permuting_across_groups_changes_the_output :
  exists P X sigma, bijection_below 2 sigma sigma /\
  multi_head_attention (scaled_scores 1) (permute_heads sigma (fun g => g) 1 P)
    X X keep_all 1 1 2 1 1 1 0%nat 0%nat
  <> multi_head_attention (scaled_scores 1) P X X keep_all 1 1 2 1 1 1 0%nat 0%nat.
Proof.
  exists two_heads, (fun _ _ => 1), (fun i => 1 - i)%nat.
  split; [split; intros i Hi; lia|].
  (* with one key its weight is 1, whatever the score *)
  assert (H : forall S V r c, attention S keep_all V 1 r c = V 0%nat c).
  { intros S V r c. rewrite attention_quotient. unfold row_total, kept_sum. simpl.
    pose proof (exp_pos (S r 0%nat)). field. lra. }
  (* 0 * 1 + 1 * 0 after, 0 * 0 + 1 * 1 before *)
  unfold multi_head_attention, project, concatenate, head. simpl.
  rewrite !H. unfold values, project, block. simpl. lra.
Qed.

Print Assumptions permuting_heads_with_their_blocks_changes_nothing.
Print Assumptions any_permutation_that_keeps_groups_changes_nothing.
Print Assumptions permuting_across_groups_changes_the_output.
