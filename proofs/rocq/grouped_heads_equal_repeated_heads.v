(* Grouped heads are full heads with repeated keys and values.

   A layer in which `group` query heads share one key/value head computes the
   same as a layer in which every query head has a key/value head of its own,
   the parameters of each key/value head being repeated `group` times in a row:
   head g * group + u gets a copy of key/value head g.

   Main results:
     grouped_heads_equal_repeated_heads   the two layers have the same output
     repeated_heads_are_copies            where the copies of a head stand
     one_key_value_head_is_shared_by_all  multi-query attention: kv_heads = 1
     tiled_heads_differ_from_grouped_heads
                                          repeating the list of heads as a whole
                                          (0, 1, 0, 1 in place of 0, 0, 1, 1) is
                                          another layer

   There are no hypotheses on sizes or score functions in the first. The last
   is a counterexample with two key/value heads in groups of two. *)

From Coq Require Import Reals Lra Lia Arith.
From MhaSpec Require Import FiniteSums Attention Heads.
Open Scope R_scope.

(* The full layer in which query head i has a copy of key/value head `of i`. *)
Definition copy_key_value_heads (of : nat -> nat) (P : parameters) : parameters := {|
  W_Q := W_Q P;                  b_Q := b_Q P;
  W_K := fun i => W_K P (of i);  b_K := fun i => b_K P (of i);
  W_V := fun i => W_V P (of i);  b_V := fun i => b_V P (of i);
  W_O := W_O P;                  b_O := b_O P
|}.

Definition repeat_key_value_heads (group : nat) : parameters -> parameters :=
  copy_key_value_heads (fun i => i / group)%nat.

Definition tile_key_value_heads (kv_heads : nat) : parameters -> parameters :=
  copy_key_value_heads (fun i => i mod kv_heads)%nat.

Theorem grouped_heads_equal_repeated_heads :
  forall score P X Y keep d_model d_memory kv_heads group d_v m r c,
  multi_head_attention score P X Y keep d_model d_memory (kv_heads * group) group d_v m r c
  = multi_head_attention score (repeat_key_value_heads group P) X Y keep
      d_model d_memory (kv_heads * group) 1 d_v m r c.
Proof.
  intros. apply (f_equal (fun s => s + b_O P c)). apply sum_ext; intros column _.
  unfold concatenate. f_equal.
  (* without grouping, query head i reads key/value head i / 1 = i, which is
     the copy of key/value head i / group *)
  unfold head, head_scores. rewrite !Nat.div_1_r. reflexivity.
Qed.

Theorem repeated_heads_are_copies : forall P group g u, (u < group)%nat ->
  W_K (repeat_key_value_heads group P) (g * group + u) = W_K P g /\
  W_V (repeat_key_value_heads group P) (g * group + u) = W_V P g.
Proof. intros P group g u H. simpl. rewrite head_index_quotient by assumption. auto. Qed.

Theorem one_key_value_head_is_shared_by_all :
  forall score P X Y keep d_model d_memory h d_v m r c,
  multi_head_attention score P X Y keep d_model d_memory h h d_v m r c
  = multi_head_attention score (copy_key_value_heads (fun _ => 0%nat) P) X Y keep
      d_model d_memory h 1 d_v m r c.
Proof.
  intros. apply (f_equal (fun s => s + b_O P c)). apply sum_ext; intros column H.
  unfold concatenate. f_equal.
  (* i / h = 0 for every head i < h *)
  destruct (head_index_split _ _ _ H) as (Hi & _).
  unfold head, head_scores. rewrite (Nat.div_small (column / d_v) h) by assumption.
  reflexivity.
Qed.

(* Two key/value heads with the values 0 and 1, four query heads, of which W_O
   passes on head 1 only: in groups of two it reads key/value head 0. *)
Definition head_one_only : parameters := {|
  W_Q := fun _ _ _ => 0;      b_Q := fun _ _ => 0;
  W_K := fun _ _ _ => 0;      b_K := fun _ _ => 0;
  W_V := fun g _ _ => INR g;  b_V := fun _ _ => 0;
  W_O := fun e _ => if (e =? 1)%nat then 1 else 0;  b_O := fun _ => 0
|}.

Theorem tiled_heads_differ_from_grouped_heads :
  exists P X,
  multi_head_attention (scaled_scores 1) P X X keep_all 1 1 (2 * 2) 2 1 1 0%nat 0%nat
  <> multi_head_attention (scaled_scores 1) (tile_key_value_heads 2 P) X X keep_all
       1 1 (2 * 2) 1 1 1 0%nat 0%nat.
Proof.
  exists head_one_only, (fun _ _ => 1).
  (* with one key its weight is 1, whatever the score *)
  assert (H : forall S V r c, attention S keep_all V 1 r c = V 0%nat c).
  { intros S V r c. rewrite attention_quotient. unfold row_total, kept_sum. simpl.
    pose proof (exp_pos (S r 0%nat)). field. lra. }
  unfold multi_head_attention, project, concatenate, head. simpl.
  rewrite !H. simpl. unfold values, project. simpl. lra.
Qed.

Print Assumptions grouped_heads_equal_repeated_heads.
Print Assumptions repeated_heads_are_copies.
Print Assumptions one_key_value_head_is_shared_by_all.
Print Assumptions tiled_heads_differ_from_grouped_heads.
