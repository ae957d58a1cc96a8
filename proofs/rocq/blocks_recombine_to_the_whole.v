(* Attention can be computed block by block.

   Cut the keys into blocks of any sizes. Each block gives, with a shift of its
   own, a partial total and a partial numerator. Rescaled to one common shift
   and added up, they give the output over all the keys: this is how long
   sequences are split over processors. Carried along from block to block while
   the shift changes, they give it too: this is the online softmax.

   Main results:
     blocks_recombine_to_the_whole      any number of blocks, added up
     two_blocks_recombine_to_the_whole  the same for two, written out
     running_totals_give_the_whole      any number of blocks, one after another

   The shifts are arbitrary reals, in particular running maxima; the mask is
   arbitrary and may hide whole blocks.

   Hypothesis: the row has a kept key, so that the last division is by a
   positive number. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

(* What one block of `size` keys, the first of them key `from`, contributes to
   row i: the total of its exponentials, and their products with column c. *)
Definition block_total (S : matrix) (keep : mask) (i from size : nat) (shift : R) : R :=
  kept_sum (fun k => keep i (from + k)%nat)
           (fun k => exp (S i (from + k)%nat - shift)) size.

Definition block_output (S : matrix) (keep : mask) (V : matrix) (i c from size : nat)
    (shift : R) : R :=
  kept_sum (fun k => keep i (from + k)%nat)
           (fun k => exp (S i (from + k)%nat - shift) * V (from + k)%nat c) size.

(* A shift is a common factor of a block. *)
Lemma block_total_unshifted : forall S keep i from size shift,
  block_total S keep i from size shift
  = exp (- shift) * block_total S keep i from size 0.
Proof.
  intros. unfold block_total. rewrite <- kept_sum_scal.
  apply kept_sum_ext; [reflexivity|]. intros k _ _.
  rewrite <- exp_plus. f_equal. ring.
Qed.

Lemma block_output_unshifted : forall S keep V i c from size shift,
  block_output S keep V i c from size shift
  = exp (- shift) * block_output S keep V i c from size 0.
Proof.
  intros. unfold block_output. rewrite <- kept_sum_scal.
  apply kept_sum_ext; [reflexivity|]. intros k _ _.
  rewrite <- Rmult_assoc, <- exp_plus. do 2 f_equal. ring.
Qed.

(* Moving a block from its shift to another: exp (a - b) * exp (- a) = exp (- b). *)
Lemma exp_move : forall a b, exp (a - b) * exp (- a) = exp (- b).
Proof. intros. rewrite <- exp_plus. f_equal. ring. Qed.

(* Without shifts the blocks add up to the total and the numerator of the row. *)
Lemma blocks_total : forall S keep i size blocks,
  sum (fun b => block_total S keep i (start size b) (size b) 0) blocks
  = row_total S keep (start size blocks) i.
Proof.
  intros. unfold row_total, kept_sum. rewrite sum_blocks.
  apply sum_ext. intros b _. apply sum_ext. intros k _.
  rewrite Rminus_0_r. reflexivity.
Qed.

Lemma blocks_output : forall S keep V i c size blocks,
  sum (fun b => block_output S keep V i c (start size b) (size b) 0) blocks
  = kept_sum (keep i) (fun j => exp (S i j) * V j c) (start size blocks).
Proof.
  intros. unfold kept_sum. rewrite sum_blocks.
  apply sum_ext. intros b _. apply sum_ext. intros k _.
  rewrite Rminus_0_r. reflexivity.
Qed.

(* A common positive factor leaves the quotient. *)
Lemma quotient_of_the_whole : forall S keep V m i c shift,
  has_kept_key keep m i ->
  exp (- shift) * kept_sum (keep i) (fun j => exp (S i j) * V j c) m
  / (exp (- shift) * row_total S keep m i)
  = attention S keep V m i c.
Proof.
  intros S keep V m i c shift H. rewrite attention_quotient.
  pose proof (row_total_pos S keep m i H). pose proof (exp_pos (- shift)).
  field. lra.
Qed.

Theorem blocks_recombine_to_the_whole :
  forall S keep V i c (size : nat -> nat) blocks (shift : nat -> R) common,
  has_kept_key keep (start size blocks) i ->
  sum (fun b => exp (shift b - common)
                * block_output S keep V i c (start size b) (size b) (shift b)) blocks
  / sum (fun b => exp (shift b - common)
                  * block_total S keep i (start size b) (size b) (shift b)) blocks
  = attention S keep V (start size blocks) i c.
Proof.
  intros S keep V i c size blocks shift common H.
  (* every block is moved to the common shift, which then is a factor *)
  rewrite (sum_ext (fun b => _ * block_output _ _ _ _ _ _ _ _)
                   (fun b => exp (- common)
                             * block_output S keep V i c (start size b) (size b) 0)).
  2:{ intros b _. rewrite block_output_unshifted, <- Rmult_assoc, exp_move. reflexivity. }
  rewrite (sum_ext (fun b => _ * block_total _ _ _ _ _ _)
                   (fun b => exp (- common)
                             * block_total S keep i (start size b) (size b) 0)).
  2:{ intros b _. rewrite block_total_unshifted, <- Rmult_assoc, exp_move. reflexivity. }
  rewrite !sum_scal, blocks_total, blocks_output.
  apply quotient_of_the_whole. assumption.
Qed.

(* The first p keys with shift s1, the next q keys with shift s2. *)
Theorem two_blocks_recombine_to_the_whole : forall S keep V i c p q s1 s2 common,
  has_kept_key keep (p + q) i ->
  (exp (s1 - common) * block_output S keep V i c 0 p s1
   + exp (s2 - common) * block_output S keep V i c p q s2)
  / (exp (s1 - common) * block_total S keep i 0 p s1
     + exp (s2 - common) * block_total S keep i p q s2)
  = attention S keep V (p + q) i c.
Proof.
  intros S keep V i c p q s1 s2 common H.
  pose proof (blocks_recombine_to_the_whole S keep V i c
    (fun b => if (b =? 0)%nat then p else q) 2
    (fun b => if (b =? 0)%nat then s1 else s2) common H) as B.
  simpl in B. rewrite !Rplus_0_l in B. exact B.
Qed.

(* The totals carried along. After b blocks they refer to the shift `shift b`;
   each further block rescales them to the next shift and adds its own. *)
Fixpoint running_total (S : matrix) (keep : mask) (i : nat) (size : nat -> nat)
    (shift : nat -> R) (blocks : nat) : R :=
  match blocks with
  | O => 0
  | Datatypes.S b =>
      exp (shift b - shift blocks) * running_total S keep i size shift b
      + block_total S keep i (start size b) (size b) (shift blocks)
  end.

Fixpoint running_output (S : matrix) (keep : mask) (V : matrix) (i c : nat)
    (size : nat -> nat) (shift : nat -> R) (blocks : nat) : R :=
  match blocks with
  | O => 0
  | Datatypes.S b =>
      exp (shift b - shift blocks) * running_output S keep V i c size shift b
      + block_output S keep V i c (start size b) (size b) (shift blocks)
  end.

(* The invariant: what is carried is the exact sum so far, times exp (- shift). *)
Lemma running_total_invariant : forall S keep i size shift blocks,
  running_total S keep i size shift blocks
  = exp (- shift blocks)
    * sum (fun b => block_total S keep i (start size b) (size b) 0) blocks.
Proof.
  intros. induction blocks as [|b IH]; simpl; [ring|].
  rewrite IH, block_total_unshifted, <- Rmult_assoc, exp_move. ring.
Qed.

Lemma running_output_invariant : forall S keep V i c size shift blocks,
  running_output S keep V i c size shift blocks
  = exp (- shift blocks)
    * sum (fun b => block_output S keep V i c (start size b) (size b) 0) blocks.
Proof.
  intros. induction blocks as [|b IH]; simpl; [ring|].
  rewrite IH, block_output_unshifted, <- Rmult_assoc, exp_move. ring.
Qed.

Theorem running_totals_give_the_whole :
  forall S keep V i c (size : nat -> nat) (shift : nat -> R) blocks,
  has_kept_key keep (start size blocks) i ->
  running_output S keep V i c size shift blocks
  / running_total S keep i size shift blocks
  = attention S keep V (start size blocks) i c.
Proof.
  intros S keep V i c size shift blocks H.
  rewrite running_output_invariant, running_total_invariant, blocks_total, blocks_output.
  apply quotient_of_the_whole. assumption.
Qed.

Print Assumptions blocks_recombine_to_the_whole.
Print Assumptions two_blocks_recombine_to_the_whole.
Print Assumptions running_totals_give_the_whole.
