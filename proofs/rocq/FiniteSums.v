(* Finite sums of reals.

   `sum f n` is f 0 + f 1 + ... + f (n - 1). Every size in these files is the
   number of terms of such a sum, so what is proved here holds for all sizes.

   What this file offers:
     sum_ext            equal terms give equal sums
     sum_zero           a sum of zeros is zero
     sum_plus, sum_minus, sum_scal, sum_scal_r, sum_div    linearity
     sum_app            a sum cut in two
     sum_first          the first term taken out
     sum_le, sum_nonneg, sum_pos   order
     sum_single, sum_delta         a sum with one term that is not zero
     sum_swap           two sums exchanged
     sum_without        a sum with the term of index p taken out
     sum_permutation    a sum re-indexed by a bijection
     sum_blocks, sum_grid          a sum cut in blocks *)

From Coq Require Import Reals Lra Lia Arith Bool.
Open Scope R_scope.

Fixpoint sum (f : nat -> R) (n : nat) : R :=
  match n with
  | O => 0
  | S p => sum f p + f p
  end.

Lemma sum_ext : forall f g n,
  (forall i, (i < n)%nat -> f i = g i) -> sum f n = sum g n.
Proof.
  intros f g n; induction n; intros H; simpl; [reflexivity|].
  rewrite IHn, H; auto with arith.
Qed.

Lemma sum_zero : forall f n,
  (forall i, (i < n)%nat -> f i = 0) -> sum f n = 0.
Proof.
  intros f n; induction n; intros H; simpl; [reflexivity|].
  rewrite IHn, H by auto with arith; ring.
Qed.

Lemma sum_plus : forall f g n,
  sum (fun i => f i + g i) n = sum f n + sum g n.
Proof. intros f g n; induction n; simpl; [ring|]. rewrite IHn; ring. Qed.

Lemma sum_minus : forall f g n,
  sum (fun i => f i - g i) n = sum f n - sum g n.
Proof. intros f g n; induction n; simpl; [ring|]. rewrite IHn; ring. Qed.

Lemma sum_scal : forall c f n,
  sum (fun i => c * f i) n = c * sum f n.
Proof. intros c f n; induction n; simpl; [ring|]. rewrite IHn; ring. Qed.

Lemma sum_scal_r : forall c f n,
  sum (fun i => f i * c) n = sum f n * c.
Proof. intros c f n; induction n; simpl; [ring|]. rewrite IHn; ring. Qed.

Lemma sum_div : forall c f n,
  sum (fun i => f i / c) n = sum f n / c.
Proof. intros; unfold Rdiv; apply sum_scal_r. Qed.

Lemma sum_app : forall f p q,
  sum f (p + q) = sum f p + sum (fun i => f (p + i)%nat) q.
Proof.
  intros f p q; induction q; simpl.
  - rewrite Nat.add_0_r; ring.
  - rewrite Nat.add_succ_r; simpl; rewrite IHq; ring.
Qed.

Lemma sum_first : forall f n,
  sum f (S n) = f 0%nat + sum (fun i => f (S i)) n.
Proof.
  intros f n. change (S n) with (1 + n)%nat. rewrite sum_app. simpl. ring.
Qed.

Lemma sum_le : forall f g n,
  (forall i, (i < n)%nat -> f i <= g i) -> sum f n <= sum g n.
Proof.
  intros f g n; induction n; intros H; simpl; [lra|].
  apply Rplus_le_compat; auto with arith.
Qed.

Lemma sum_nonneg : forall f n,
  (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum f n.
Proof.
  intros f n; induction n; intros H; simpl; [lra|].
  apply Rplus_le_le_0_compat; auto with arith.
Qed.

(* One positive term among terms that are not negative is enough. *)
Lemma sum_pos : forall f n p,
  (forall i, (i < n)%nat -> 0 <= f i) -> (p < n)%nat -> 0 < f p ->
  0 < sum f n.
Proof.
  intros f n p; induction n; intros H Hp Hf; [lia|]. simpl.
  assert (N : 0 <= sum f n) by (apply sum_nonneg; auto with arith).
  destruct (Nat.eq_dec p n) as [->|D]; [lra|].
  assert (0 < sum f n) by (apply IHn; auto with arith; lia).
  assert (0 <= f n) by auto with arith. lra.
Qed.

Lemma sum_single : forall f n p,
  (p < n)%nat -> (forall i, (i < n)%nat -> i <> p -> f i = 0) ->
  sum f n = f p.
Proof.
  intros f n p; induction n; intros Hp H; [lia|]. simpl.
  destruct (Nat.eq_dec p n) as [->|D].
  - rewrite sum_zero; [ring|]. intros; apply H; lia.
  - rewrite IHn, (H n) by (intros; try apply H; lia). ring.
Qed.

Lemma sum_delta : forall f n p,
  (p < n)%nat -> sum (fun i => if (p =? i)%nat then f i else 0) n = f p.
Proof.
  intros f n p Hp.
  rewrite (sum_single _ n p); [rewrite Nat.eqb_refl; reflexivity|assumption|].
  intros i _ D. destruct (Nat.eqb_spec p i); [congruence|reflexivity].
Qed.

Lemma sum_swap : forall (f : nat -> nat -> R) n m,
  sum (fun i => sum (fun j => f i j) m) n
  = sum (fun j => sum (fun i => f i j) n) m.
Proof.
  intros f n m; induction n; simpl.
  - symmetry; apply sum_zero; reflexivity.
  - rewrite IHn, <- sum_plus. reflexivity.
Qed.

(* `skip p` lists the indices other than p: it sends 0, 1, ... to
   0, ..., p - 1, p + 1, ... *)
Definition skip (p j : nat) : nat := if (j <? p)%nat then j else S j.

Lemma skip_lt : forall p j m, (j < m)%nat -> (skip p j < S m)%nat.
Proof. intros p j m H; unfold skip; destruct (j <? p)%nat; lia. Qed.

Lemma skip_ne : forall p j, skip p j <> p.
Proof. intros p j; unfold skip; destruct (Nat.ltb_spec j p); lia. Qed.

Lemma sum_without : forall f n p,
  (p < S n)%nat -> sum f (S n) = f p + sum (fun j => f (skip p j)) n.
Proof.
  intros f n p Hp.
  replace (S n) with (p + S (n - p))%nat by lia.
  replace n with (p + (n - p))%nat at 2 by lia.
  rewrite !sum_app, sum_first, Nat.add_0_r.
  rewrite (sum_ext (fun j => f (skip p j)) f p).
  2:{ intros i Hi; unfold skip. destruct (Nat.ltb_spec i p); [reflexivity|lia]. }
  rewrite (sum_ext (fun i => f (skip p (p + i)%nat)) (fun i => f (p + S i)%nat)).
  2:{ intros i Hi; unfold skip. destruct (Nat.ltb_spec (p + i) p); [lia|].
      f_equal; lia. }
  ring.
Qed.

(* `f` and `g` are inverse to each other on the indices below n. *)
Definition bijection_below (n : nat) (f g : nat -> nat) : Prop :=
  (forall i, (i < n)%nat -> (f i < n)%nat /\ g (f i) = i) /\
  (forall i, (i < n)%nat -> (g i < n)%nat /\ f (g i) = i).

Lemma sum_permutation : forall h n f g,
  bijection_below n f g -> sum (fun i => h (f i)) n = sum h n.
Proof.
  intros h n f g [F G].
  (* each h (f i) is the sum over k of h k where k = f i *)
  rewrite (sum_ext _ (fun i => sum (fun k => if (f i =? k)%nat then h k else 0) n)).
  2:{ intros i Hi. symmetry. apply sum_delta. apply F; assumption. }
  (* sum over i first: only i = g k meets k = f i *)
  rewrite sum_swap. apply sum_ext. intros k Hk.
  destruct (G k Hk) as [Hg Hfg].
  rewrite (sum_single _ n (g k)); [rewrite Hfg, Nat.eqb_refl; reflexivity|assumption|].
  intros i Hi D. destruct (Nat.eqb_spec (f i) k) as [E|]; [|reflexivity].
  exfalso; apply D. rewrite <- E. symmetry. apply F; assumption.
Qed.

(* The index where block b starts, when block a holds `size a` indices. *)
Fixpoint start (size : nat -> nat) (b : nat) : nat :=
  match b with
  | O => O
  | S a => (start size a + size a)%nat
  end.

Lemma sum_blocks : forall f size b,
  sum f (start size b)
  = sum (fun a => sum (fun i => f (start size a + i)%nat) (size a)) b.
Proof.
  intros f size b; induction b; simpl; [reflexivity|].
  rewrite sum_app, IHb. reflexivity.
Qed.

Lemma sum_grid : forall f h k,
  sum f (h * k) = sum (fun i => sum (fun c => f (i * k + c)%nat) k) h.
Proof.
  intros f h k; induction h; simpl; [reflexivity|].
  rewrite Nat.add_comm, sum_app, IHh. reflexivity.
Qed.
