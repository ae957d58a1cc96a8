(* A masked key is as good as absent.

   Hiding key p from every query gives the outputs of the attention over the
   other m keys, with row p removed from the keys and the values and column p
   removed from the mask. (There are m + 1 keys before, m after.)

   Main results:
     masking_a_key_equals_deleting_it
     a_masked_key_has_no_weight            its weight is 0
     masking_a_key_rescales_the_others     where another key is kept, the other
                                           weights are divided by 1 - w_p

   Hypotheses: `p < m + 1` (`p < m` in the third result, where m counts the keys
   before), there is such a key. The first result holds for every row, because a
   row without kept keys has the weights 0 on both sides; under another
   convention for such rows (NaN, or the mean over all keys) it needs another
   kept key. The third result needs one: without it w_p can be 1, and 1 - w_p
   no divisor. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

(* The mask with key p hidden from every query. *)
Definition hide_key (keep : mask) (p : nat) : mask :=
  fun i j => keep i j && negb (j =? p)%nat.

(* A matrix with row p removed; a mask with column p removed. *)
Definition without_row (X : matrix) (p : nat) : matrix := fun j c => X (skip p j) c.
Definition without_column (keep : mask) (p : nat) : mask := fun i j => keep i (skip p j).

Lemma hide_key_self : forall keep p i, hide_key keep p i p = false.
Proof. intros. unfold hide_key. rewrite Nat.eqb_refl. apply andb_false_r. Qed.

Lemma hide_key_other : forall keep p i j, j <> p -> hide_key keep p i j = keep i j.
Proof.
  intros keep p i j D. unfold hide_key.
  apply Nat.eqb_neq in D. rewrite D. apply andb_true_r.
Qed.

(* Term p of a kept sum vanishes; the others are those of the keys that stay. *)
Lemma kept_sum_hidden : forall keep p f m i,
  (p < S m)%nat ->
  kept_sum (hide_key keep p i) f (S m)
  = kept_sum (without_column keep p i) (fun j => f (skip p j)) m.
Proof.
  intros keep p f m i Hp. unfold kept_sum.
  rewrite (sum_without _ m p Hp), hide_key_self, Rplus_0_l.
  apply sum_ext. intros j _. rewrite hide_key_other by apply skip_ne. reflexivity.
Qed.

Theorem masking_a_key_equals_deleting_it : forall Q K V d_k keep m p i c,
  (p < S m)%nat ->
  scaled_dot_product_attention Q K V d_k (hide_key keep p) (S m) i c
  = scaled_dot_product_attention
      Q (without_row K p) (without_row V p) d_k (without_column keep p) m i c.
Proof.
  intros Q K V d_k keep m p i c Hp.
  unfold scaled_dot_product_attention. rewrite !attention_quotient.
  (* both the numerator and the denominator are kept sums *)
  unfold row_total. rewrite !kept_sum_hidden by assumption. reflexivity.
Qed.

Theorem a_masked_key_has_no_weight : forall S keep m p i,
  weights S (hide_key keep p) m i p = 0.
Proof. intros. apply weights_hidden, hide_key_self. Qed.

Theorem masking_a_key_rescales_the_others : forall S keep m p i j,
  (p < m)%nat -> (j < m)%nat -> j <> p ->
  has_kept_key (hide_key keep p) m i ->
  weights S (hide_key keep p) m i j
  = weights S keep m i j / (1 - weights S keep m i p).
Proof.
  intros S keep m p i j Hp Hj D H.
  set (w := row_total S (hide_key keep p) m i).
  set (z := if keep i p then exp (S i p) else 0).
  assert (W : 0 < w) by (apply row_total_pos; assumption).
  assert (N : 0 <= z) by (unfold z; destruct (keep i p); [apply Rlt_le, exp_pos|lra]).
  (* the total without p and the term of p make the total *)
  assert (E : row_total S keep m i = w + z).
  { unfold w, z, row_total, kept_sum. destruct m as [|q]; [lia|].
    rewrite !(sum_without _ q p Hp), hide_key_self.
    rewrite (sum_ext (fun k => if hide_key keep p i (skip p k)
                               then exp (S i (skip p k)) else 0)
                     (fun k => if keep i (skip p k) then exp (S i (skip p k)) else 0)).
    - ring.
    - intros k _. rewrite hide_key_other by apply skip_ne. reflexivity. }
  rewrite !weights_quotient, E. fold w z.
  rewrite hide_key_other by assumption. field. lra.
Qed.

Print Assumptions masking_a_key_equals_deleting_it.
Print Assumptions a_masked_key_has_no_weight.
Print Assumptions masking_a_key_rescales_the_others.
