(* The scores of a head have rank at most d_k.

   The n x m matrix of the scores of a head, before mask and softmax, is a
   product of an n x d_k and a d_k x m matrix. So its rank is at most d_k,
   however long the sequences are: any d_k + 1 of its rows are linearly
   dependent, and so are any d_k + 1 of its columns. (That the largest number
   of independent rows is at most d_k is what "rank at most d_k" says.)

   Main results:
     scores_of_a_head_have_rank_at_most_d_k   rows and columns of a head's scores
     scores_have_rank_at_most_d_k             the same for any Q and K
     more_vectors_than_coordinates_are_dependent
                                              d + 1 vectors of R^d are dependent
     weights_can_have_a_larger_rank           after the softmax it is no longer so

   There are no hypotheses: the projections may have biases, the d_k + 1 rows may be
   chosen anywhere, even twice. The last is a counterexample with d_k = 1. *)

From Coq Require Import Reals Lra Lia Arith.
From MhaSpec Require Import FiniteSums Attention Heads.
Open Scope R_scope.

(* The vectors v 0, ..., v (n - 1), of which the coordinates below d count:
   some combination, with a coefficient that is not zero, vanishes. *)
Definition dependent (v : nat -> nat -> R) (n d : nat) : Prop :=
  exists coefficient : nat -> R,
    (exists i, (i < n)%nat /\ coefficient i <> 0) /\
    forall a, (a < d)%nat -> sum (fun i => coefficient i * v i a) n = 0.

Lemma zero_or_pivot : forall (f : nat -> R) n,
  (forall i, (i < n)%nat -> f i = 0) \/ (exists p, (p < n)%nat /\ f p <> 0).
Proof.
  intros f n; induction n as [|n [IH|(p & Hp & IH)]].
  - left; intros; lia.
  - destruct (Req_EM_T (f n) 0) as [E|E].
    + left; intros i Hi. destruct (Nat.eq_dec i n) as [->|]; [assumption|apply IH; lia].
    + right; exists n; auto.
  - right; exists p; auto with arith.
Qed.

Theorem more_vectors_than_coordinates_are_dependent :
  forall d v, dependent v (S d) d.
Proof.
  (* Gaussian elimination: one coordinate and one vector less *)
  induction d as [|d IH]; intros v.
  - exists (fun _ => 1). split; [exists 0%nat; split; [lia|lra]|intros; lia].
  - destruct (zero_or_pivot (fun i => v i d) (S (S d))) as [Z|(p & Hp & P)].
    + (* the last coordinate vanishes everywhere: the first d + 1 vectors are
         dependent already *)
      destruct (IH v) as (c & (i & Hi & Hc) & H).
      exists (fun i => if (i <? S d)%nat then c i else 0). split.
      * exists i; split; [lia|]. destruct (Nat.ltb_spec i (S d)); [assumption|lia].
      * intros a Ha. destruct (Nat.eq_dec a d) as [->|D].
        { apply sum_zero; intros; rewrite Z by assumption; ring. }
        change (sum ?f (S (S d))) with (sum f (S d) + f (S d)). cbv beta.
        rewrite Nat.ltb_irrefl, Rmult_0_l, Rplus_0_r, <- (H a) by lia.
        apply sum_ext; intros k Hk. destruct (Nat.ltb_spec k (S d)); [reflexivity|lia].
    + (* v p has a last coordinate: subtract multiples of v p from the others
         so that theirs vanishes *)
      pose (w := fun i a => v (skip p i) a - v (skip p i) d / v p d * v p a).
      destruct (IH w) as (c & (i & Hi & Hc) & H).
      (* the coefficient of v p gathers what was subtracted *)
      pose (q := - sum (fun i => c i * (v (skip p i) d / v p d)) (S d)).
      exists (fun j => if (j =? p)%nat then q else c (if (j <? p)%nat then j else pred j)).
      assert (E : forall j,
        (if (skip p j =? p)%nat then q
         else c (if (skip p j <? p)%nat then skip p j else pred (skip p j))) = c j).
      { intros j; unfold skip. destruct (Nat.ltb_spec j p).
        - destruct (Nat.eqb_spec j p); [lia|]. destruct (Nat.ltb_spec j p); [reflexivity|lia].
        - destruct (Nat.eqb_spec (S j) p); [lia|].
          destruct (Nat.ltb_spec (S j) p); [lia|reflexivity]. }
      split.
      * exists (skip p i). split; [apply skip_lt; assumption|]. rewrite E; assumption.
      * intros a Ha. rewrite (sum_without _ (S d) p) by assumption.
        rewrite Nat.eqb_refl.
        rewrite (sum_ext _ (fun j => c j * w j a + v p a * (c j * (v (skip p j) d / v p d))))
          by (intros j Hj; rewrite E; unfold w; ring).
        rewrite sum_plus, sum_scal. unfold q.
        destruct (Nat.eq_dec a d) as [->|D]; [|rewrite H by lia; ring].
        rewrite (sum_zero (fun j => c j * w j d)); [ring|].
        intros j Hj; unfold w; field; assumption.
Qed.

(* Rows that are combinations of d vectors are as dependent as their
   coordinates in them. *)
Lemma dependent_product : forall A B scale d n m,
  dependent A n d ->
  dependent (fun i j => sum (fun a => A i a * B j a) d / scale) n m.
Proof.
  intros A B scale d n m (c & N & H). exists c. split; [assumption|]. intros j Hj.
  rewrite (sum_ext _ (fun i => sum (fun a => B j a / scale * (c i * A i a)) d)).
  2:{ intros i Hi. unfold Rdiv. rewrite <- Rmult_assoc, <- sum_scal, <- sum_scal_r.
      apply sum_ext; intros; ring. }
  rewrite sum_swap. apply sum_zero; intros a Ha.
  rewrite sum_scal, H by assumption. ring.
Qed.

Theorem scores_have_rank_at_most_d_k : forall Q K d_k n m,
  (forall row : nat -> nat, dependent (fun i j => scores Q K d_k (row i) j) (S d_k) m) /\
  (forall column : nat -> nat, dependent (fun j i => scores Q K d_k i (column j)) (S d_k) n).
Proof.
  intros Q K d_k n m. split.
  - intros row. apply (dependent_product (fun i => Q (row i)) K).
    apply more_vectors_than_coordinates_are_dependent.
  - intros column.
    destruct (dependent_product (fun j => K (column j)) Q (sqrt (INR d_k)) d_k (S d_k) n)
      as (c & N & H).
    { apply more_vectors_than_coordinates_are_dependent. }
    exists c. split; [assumption|]. intros i Hi. rewrite <- (H i Hi).
    apply sum_ext; intros j Hj. unfold scores. f_equal. f_equal.
    apply sum_ext; intros; ring.
Qed.

Theorem scores_of_a_head_have_rank_at_most_d_k :
  forall P X Y d_model d_memory group d_k n m i,
  let S := head_scores (scaled_scores d_k) P X Y d_model d_memory group i in
  (forall row : nat -> nat, dependent (fun k j => S (row k) j) (d_k + 1) m) /\
  (forall column : nat -> nat, dependent (fun k r => S r (column k)) (d_k + 1) n).
Proof.
  intros. rewrite Nat.add_1_r. apply scores_have_rank_at_most_d_k.
Qed.

(* The exponential is not constant: its derivative at 0 is 1. *)
Lemma exp_above_one : exists x, 1 < exp x.
Proof.
  destruct (derivable_pt_lim_exp 0 (/ 2) ltac:(lra)) as [delta D].
  pose proof (cond_pos delta) as P. set (x := pos delta / 2).
  assert (X : 0 < x) by (unfold x; lra).
  specialize (D x ltac:(lra) ltac:(rewrite Rabs_right; unfold x; lra)).
  rewrite exp_0, Rplus_0_l in D. exists x.
  apply Rabs_def2 in D as [_ D].
  assert (Q : 0 < (exp x - 1) / x) by lra.
  apply (Rmult_lt_compat_r x) in Q; [|assumption].
  unfold Rdiv in Q. rewrite Rmult_assoc, Rinv_l in Q; lra.
Qed.

(* With Q = (0, 1) and K = (0, x) the scores are (0 0; 0 x), of rank 1. *)
Theorem weights_can_have_a_larger_rank :
  exists Q K, ~ dependent (weights (scores Q K 1) keep_all 2) (1 + 1) 2.
Proof.
  destruct exp_above_one as [x Pe].
  exists (fun i _ => INR i), (fun j _ => INR j * x). intros (c & (i & Hi & N) & H).
  pose proof (H 0%nat ltac:(lia)) as H0. pose proof (H 1%nat ltac:(lia)) as H1.
  unfold weights, row_total, kept_sum, scores in H0, H1. simpl in H0, H1.
  rewrite sqrt_1 in H0, H1.
  replace ((0 + 0 * (0 * x)) / 1) with 0 in * by field.
  replace ((0 + 0 * (1 * x)) / 1) with 0 in * by field.
  replace ((0 + 1 * (0 * x)) / 1) with 0 in * by field.
  replace ((0 + 1 * (1 * x)) / 1) with x in * by field.
  rewrite exp_0 in *. set (e := exp x) in *.
  (* the rows of the weights are (1/2, 1/2) and (1, e) / (1 + e); subtracting
     the two equations leaves c 1 *)
  assert (D : c 1%nat * ((e - 1) / (1 + e)) = 0).
  { transitivity ((0 + c 0%nat * (1 / (0 + 1 + 1)) + c 1%nat * (e / (0 + 1 + e)))
                  - (0 + c 0%nat * (1 / (0 + 1 + 1)) + c 1%nat * (1 / (0 + 1 + e))));
      [field; lra|lra]. }
  assert (0 < (e - 1) / (1 + e)) by (apply Rdiv_lt_0_compat; lra).
  assert (C1 : c 1%nat = 0) by (apply Rmult_integral in D as [|]; lra).
  rewrite C1 in H0. assert (C0 : c 0%nat = 0) by lra.
  apply N. destruct i as [|[|i]]; [assumption|assumption|lia].
Qed.

Print Assumptions scores_of_a_head_have_rank_at_most_d_k.
Print Assumptions more_vectors_than_coordinates_are_dependent.
Print Assumptions weights_can_have_a_larger_rank.
