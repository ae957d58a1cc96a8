"""The lemmas and tactics at the head of every file for Rocq: a few lines that anyone can read before trusting it."""

HEAD = """\
From Coq Require Import ZArith Lia.
Open Scope Z_scope.

(* A certificate gives a multiplier that is at least 1, and what is left of the
   goal once it is multiplied: nothing, or a sum that is at least 0. *)

Lemma certified_equal : forall multiplier left right above : Z,
  0 <= above -> multiplier - 1 = above ->
  multiplier * (left - right) = 0 -> left = right.
Proof. intros. nia. Qed.

Lemma certified_at_most : forall multiplier left right above rest : Z,
  0 <= above -> multiplier - 1 = above -> 0 <= rest ->
  multiplier * (right - left) = rest -> left <= right.
Proof. intros. nia. Qed.

(* An equation that is assumed adds nothing, whatever it is multiplied by. *)
Lemma adds_nothing : forall cofactor l r sum rest : Z,
  l = r -> sum = rest -> cofactor * (l - r) + sum = rest.
Proof. intros. subst. ring. Qed.

Lemma exact_quotient : forall a b q : Z, 1 <= b -> a = b * q -> a / b = q.
Proof. intros. subst. rewrite Z.mul_comm. apply Z.div_mul. lia. Qed.

Lemma exact_remainder : forall a b q : Z, 1 <= b -> a = b * q -> a mod b = 0.
Proof. intros. subst. rewrite Z.mul_comm. apply Z.mod_mul. lia. Qed.

Lemma two_cases : forall n m : Z, n <= m \\/ m <= n.
Proof. intros. lia. Qed.

Lemma square_not_negative : forall a : Z, 0 <= a ^ 2.
Proof. intros. nia. Qed.

Ltac not_negative :=
  lazymatch goal with
  | |- 0 <= _ + _ => apply Z.add_nonneg_nonneg; not_negative
  | |- 0 <= _ * _ => apply Z.mul_nonneg_nonneg; not_negative
  | |- 0 <= _ ^ 2 => apply square_not_negative
  | |- _ => first [assumption | lia]
  end.

(* At given numbers everything can be computed. *)
Ltac by_computing :=
  intros;
  repeat match goal with
    | |- context [?a / ?b] => let c := eval vm_compute in (a / b) in change (a / b) with c
    | |- context [?a mod ?b] => let c := eval vm_compute in (a mod b) in change (a mod b) with c
    | H : context [?a / ?b] |- _ => let c := eval vm_compute in (a / b) in change (a / b) with c in H
    | H : context [?a mod ?b] |- _ => let c := eval vm_compute in (a mod b) in change (a mod b) with c in H
  end;
  lia.
"""
