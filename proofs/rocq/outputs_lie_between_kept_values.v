(* An output is an average of the kept values.

   If all kept values of a column lie between lo and hi, so does the output of
   that column. Hence it lies between the smallest and the largest kept value.

   Main results:
     outputs_lie_between_kept_values
     outputs_lie_between_two_kept_values   there are kept keys whose values are
                                           the smallest and the largest kept
                                           ones, and the output lies between

   Hypothesis: the row has a kept key. Without it the output is 0, which need
   not lie between lo and hi. Hidden values may be anything. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

Theorem outputs_lie_between_kept_values : forall S keep V m i c lo hi,
  has_kept_key keep m i ->
  (forall j, (j < m)%nat -> keep i j = true -> lo <= V j c <= hi) ->
  lo <= attention S keep V m i c <= hi.
Proof.
  intros S keep V m i c lo hi H B.
  pose proof (row_total_pos S keep m i H) as Z.
  rewrite attention_quotient. unfold Rdiv.
  (* the numerator lies between lo and hi times the denominator *)
  assert (L : lo * row_total S keep m i
              <= kept_sum (keep i) (fun j => exp (S i j) * V j c) m).
  { unfold row_total. rewrite <- kept_sum_scal. apply kept_sum_le. intros j Hj K.
    rewrite (Rmult_comm lo).
    apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|apply B; assumption]. }
  assert (U : kept_sum (keep i) (fun j => exp (S i j) * V j c) m
              <= hi * row_total S keep m i).
  { unfold row_total. rewrite <- kept_sum_scal. apply kept_sum_le. intros j Hj K.
    rewrite (Rmult_comm hi).
    apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|apply B; assumption]. }
  split.
  - apply (Rmult_le_reg_r (row_total S keep m i)); [assumption|].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. assumption.
  - apply (Rmult_le_reg_r (row_total S keep m i)); [assumption|].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. assumption.
Qed.

(* Among finitely many kept numbers one is the smallest. *)
Lemma kept_minimum : forall (keep : nat -> bool) (f : nat -> R) m,
  (exists j, (j < m)%nat /\ keep j = true) ->
  exists p, (p < m)%nat /\ keep p = true /\
    forall j, (j < m)%nat -> keep j = true -> f p <= f j.
Proof.
  intros keep f m; induction m as [|q IH]; intros (j & Hj & K); [lia|].
  assert (C : (exists k, (k < q)%nat /\ keep k = true)
              \/ (forall k, (k < q)%nat -> keep k = false)).
  { clear. induction q as [|r IH].
    - right. intros; lia.
    - destruct IH as [(k & Hk & Kk)|N]; [left; exists k; split; [lia|assumption]|].
      destruct (keep r) eqn:E; [left; exists r; split; [lia|assumption]|].
      right. intros k Hk. destruct (Nat.eq_dec k r) as [->|D]; [assumption|].
      apply N; lia. }
  destruct C as [C|N].
  - destruct (IH C) as (p & Hp & Kp & P).
    destruct (keep q) eqn:E.
    + destruct (Rle_lt_dec (f p) (f q)) as [L|L].
      * exists p. split; [lia|split; [assumption|]]. intros k Hk Kk.
        destruct (Nat.eq_dec k q) as [->|D]; [assumption|apply P; [lia|assumption]].
      * exists q. split; [lia|split; [assumption|]]. intros k Hk Kk.
        destruct (Nat.eq_dec k q) as [->|D]; [lra|].
        apply Rle_trans with (f p); [lra|apply P; [lia|assumption]].
    + exists p. split; [lia|split; [assumption|]]. intros k Hk Kk.
      destruct (Nat.eq_dec k q) as [->|D]; [congruence|apply P; [lia|assumption]].
  - assert (j = q) as ->.
    { destruct (Nat.eq_dec j q) as [|D]; [assumption|].
      rewrite N in K by lia. discriminate. }
    exists q. split; [lia|split; [assumption|]]. intros k Hk Kk.
    destruct (Nat.eq_dec k q) as [->|D]; [lra|].
    rewrite N in Kk by lia. discriminate.
Qed.

Theorem outputs_lie_between_two_kept_values : forall S keep V m i c,
  has_kept_key keep m i ->
  exists p q,
    ((p < m)%nat /\ keep i p = true) /\ ((q < m)%nat /\ keep i q = true) /\
    (forall j, (j < m)%nat -> keep i j = true -> V p c <= V j c <= V q c) /\
    V p c <= attention S keep V m i c <= V q c.
Proof.
  intros S keep V m i c H.
  destruct (kept_minimum (keep i) (fun j => V j c) m H) as (p & Hp & Kp & P).
  (* the largest value is where its opposite is smallest *)
  destruct (kept_minimum (keep i) (fun j => - V j c) m H) as (q & Hq & Kq & Q).
  exists p, q.
  assert (B : forall j, (j < m)%nat -> keep i j = true -> V p c <= V j c <= V q c).
  { intros j Hj Kj. specialize (P j Hj Kj). specialize (Q j Hj Kj). simpl in *. lra. }
  split; [auto|split; [auto|split; [exact B|]]].
  apply outputs_lie_between_kept_values; assumption.
Qed.

Print Assumptions outputs_lie_between_kept_values.
Print Assumptions outputs_lie_between_two_kept_values.
