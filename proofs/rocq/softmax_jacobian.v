(* The Jacobian of the softmax.

   In a row with weights w and scores s, the derivative of w_i towards s_j is
   w_i * ((if i = j then 1 else 0) - w_j). Only that one score is varied; the
   mask stays.

   Main results:
     softmax_jacobian
     hidden_scores_do_not_matter   the derivative towards a hidden score, and of
                                   a hidden weight, is 0
     jacobian_rows_sum_to_zero     what one weight gains the others lose, where
                                   the weights sum to one

   Hypotheses: `i < m` and `j < m`, both are among the m keys. The formula needs
   no kept key: hidden keys have the weight 0, and then it reads 0, rightly. The
   third result needs one, which is what makes the weights sum to one (theorem
   softmax_rows_sum_to_one): in a row with no kept key they sum to 0. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention Derivatives.
Open Scope R_scope.

Theorem softmax_jacobian : forall S keep m r i j,
  (i < m)%nat -> (j < m)%nat ->
  let w := fun k => weights S keep m r k in
  derivable_pt_lim (fun t => weights (with_entry S r j t) keep m r i) (S r j)
    (w i * ((if (i =? j)%nat then 1 else 0) - w j)).
Proof.
  intros S keep m r i j Hi Hj w.
  (* the row moves with velocity 1 in coordinate j and 0 elsewhere *)
  pose proof (weights_moves _ _ _ keep _ (Datatypes.S r) m
                (with_entry_moves S r j (Datatypes.S r) m) r i (Nat.lt_succ_diag_r r) Hi)
    as [_ D].
  match type of D with derivable_pt_lim _ _ ?l => match goal with
    |- derivable_pt_lim _ _ ?g => replace g with l end end; [exact D|].
  unfold softmax_jacobian_times, unit_entry. rewrite Nat.eqb_refl. simpl.
  fold (w i). f_equal. f_equal.
  - rewrite Nat.eqb_sym. reflexivity.
  - (* the weighted mean of these velocities is w_j *)
    rewrite (sum_ext _ (fun k => if (j =? k)%nat then w k else 0)).
    + apply sum_delta. assumption.
    + intros k _. unfold w. destruct (j =? k)%nat; ring.
Qed.

Theorem hidden_scores_do_not_matter : forall S keep m r i j,
  (i < m)%nat -> (j < m)%nat -> keep r i = false \/ keep r j = false ->
  derivable_pt_lim (fun t => weights (with_entry S r j t) keep m r i) (S r j) 0.
Proof.
  intros S keep m r i j Hi Hj H.
  pose proof (softmax_jacobian S keep m r i j Hi Hj) as D. simpl in D.
  match type of D with derivable_pt_lim _ _ ?l => replace 0 with l end; [exact D|].
  destruct H as [H|H].
  - rewrite (weights_hidden S keep m r i) by assumption. ring.
  - rewrite (weights_hidden S keep m r j) by assumption.
    destruct (Nat.eqb_spec i j) as [->|D']; [|ring].
    rewrite weights_hidden by assumption. ring.
Qed.

(* Summed over the weights, i, and summed over the scores, j. *)
Theorem jacobian_rows_sum_to_zero : forall (w : nat -> R) m,
  sum w m = 1 ->
  (forall j, (j < m)%nat ->
     sum (fun i => w i * ((if (i =? j)%nat then 1 else 0) - w j)) m = 0) /\
  (forall i, (i < m)%nat ->
     sum (fun j => w i * ((if (i =? j)%nat then 1 else 0) - w j)) m = 0).
Proof.
  intros w m One. split.
  - intros j Hj.
    rewrite (sum_ext _ (fun i => (if (j =? i)%nat then w i else 0) - w j * w i)).
    + rewrite sum_minus, sum_scal, sum_delta, One by assumption. ring.
    + intros i _. rewrite Nat.eqb_sym. destruct (j =? i)%nat; ring.
  - intros i Hi.
    rewrite (sum_ext _ (fun j => (if (i =? j)%nat then w i else 0) - w i * w j)).
    + rewrite sum_minus, sum_scal, (sum_delta (fun _ => w i)), One by assumption. ring.
    + intros j _. destruct (i =? j)%nat; ring.
Qed.

Print Assumptions softmax_jacobian.
Print Assumptions hidden_scores_do_not_matter.
Print Assumptions jacobian_rows_sum_to_zero.
