(* Concatenated heads times W_O are a sum over the heads.

   The outputs Z_0, ..., Z_(h-1) of the heads are written beside one another
   and multiplied by W_O. The same comes out when each head is multiplied by
   its own d_v rows of W_O and the h products are added:

     concat (Z_0, ..., Z_(h-1)) W_O = sum over i of Z_i (block i of W_O).

   So the heads never meet but in a sum, and a head can be taken out, moved or
   measured alone.

   Main results:
     concatenated_heads_equal_a_sum_of_blocks   for any matrices Z_i and W
     layer_output_is_a_sum_over_heads           the same for the layer, with b_O

   There are no hypotheses: it holds for any h and d_v, and for d_v = 0. *)

From Coq Require Import Reals Lra Lia Arith.
From MhaSpec Require Import FiniteSums Attention Heads.
Open Scope R_scope.

Theorem concatenated_heads_equal_a_sum_of_blocks :
  forall (Z : nat -> matrix) (W : matrix) (h d_v r c : nat),
  sum (fun column => concatenate Z d_v r column * W column c) (h * d_v)
  = sum (fun i => sum (fun e => Z i r e * block W d_v i e c) d_v) h.
Proof.
  intros Z W h d_v r c.
  (* the columns, cut in h blocks of d_v *)
  rewrite sum_grid. apply sum_ext; intros i Hi. apply sum_ext; intros e He.
  (* column e of block i is column e of head i *)
  rewrite concatenate_at by assumption. reflexivity.
Qed.

Theorem layer_output_is_a_sum_over_heads :
  forall score P X Y keep d_model d_memory h group d_v m r c,
  multi_head_attention score P X Y keep d_model d_memory h group d_v m r c
  = sum (fun i => sum (fun e => head score P X Y keep d_model d_memory group m i r e
                                * block (W_O P) d_v i e c) d_v) h
    + b_O P c.
Proof.
  intros. unfold multi_head_attention, project.
  rewrite concatenated_heads_equal_a_sum_of_blocks. reflexivity.
Qed.

Print Assumptions concatenated_heads_equal_a_sum_of_blocks.
Print Assumptions layer_output_is_a_sum_over_heads.
