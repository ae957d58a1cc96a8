(* The variance of a dot product of d_k independent entries is d_k.

   Let the 2 * d_k entries of a query q and a key k be independent random
   numbers of mean zero and unit variance. Then q . k has the variance d_k, so
   that q . k / sqrt d_k has the variance 1 whatever the width: this is why the
   scores are divided by sqrt d_k.

   A probability space is a finite one: outcomes 0, ..., N - 1 with the
   probabilities p 0, ..., p (N - 1); a random number is a function of the
   outcome. Independent means, as in textbooks, that the probability of any
   list of values of the entries is the product of their probabilities.

   Main results:
     dot_product_variance_is_d_k              as said
     scaled_dot_product_variance_is_one       after the division by sqrt d_k
     dot_product_variance_with_means          means mu and nu instead of zero:
                                              the variance is d_k (1 + mu^2 + nu^2)
     uncorrelated_products_are_enough         what is used of independence: the
                                              products q_a k_a are uncorrelated
                                              and have unit variance
     such_entries_exist                       for every d_k and every mean
     with_a_mean_the_variance_is_not_d_k      a counterexample: mean 1, and the
                                              variance is 3 d_k
     with_dependence_the_variance_is_not_d_k  a counterexample: q = k, a fair
                                              sign, and the variance is 0
     independent_functions                    functions of independent numbers
                                              have the expectation of the
                                              product equal to the product

   What each hypothesis is for: the probabilities sum to 1 (that they are not
   negative is part of their meaning, and not used), so that constants
   are their own expectation; independence makes E[q_a k_a q_b k_b] equal to
   E[q_a k_a] E[q_b k_b], and E[(q_a k_a)^2] equal to E[q_a^2] E[k_a^2]; mean
   zero makes the terms E[q_a]^2 E[k_a^2] and so on vanish; unit variance makes
   each of the d_k remaining terms 1. *)

From Coq Require Import Reals Lra Lia Arith.
From MhaSpec Require Import FiniteSums.
Open Scope R_scope.

Fixpoint product (f : nat -> R) (n : nat) : R :=
  match n with
  | O => 1
  | S p => product f p * f p
  end.

Definition probabilities (N : nat) (p : nat -> R) : Prop :=
  (forall w, (w < N)%nat -> 0 <= p w) /\ sum p N = 1.

Definition expectation (N : nat) (p f : nat -> R) : R := sum (fun w => p w * f w) N.

Definition variance (N : nat) (p f : nat -> R) : R :=
  expectation N p (fun w => f w * f w) - expectation N p f * expectation N p f.

(* The indicator of x = y; its expectation is a probability. *)
Definition equals (x y : R) : R := if Req_EM_T x y then 1 else 0.

Definition mutually_independent (N : nat) (p : nat -> R) (X : nat -> nat -> R) (n : nat) : Prop :=
  forall x : nat -> R,
    expectation N p (fun w => product (fun i => equals (X i w) (x i)) n)
    = product (fun i => expectation N p (fun w => equals (X i w) (x i))) n.

(* The entries of q, and after them those of k. *)
Definition entries (d_k : nat) (q k : nat -> nat -> R) : nat -> nat -> R :=
  fun i => if (i <? d_k)%nat then q i else k (i - d_k)%nat.

Definition dot_product (d_k : nat) (q k : nat -> nat -> R) (w : nat) : R :=
  sum (fun a => q a w * k a w) d_k.

(* Products *)

Lemma product_ext : forall f g n,
  (forall i, (i < n)%nat -> f i = g i) -> product f n = product g n.
Proof.
  intros f g n; induction n; intros H; simpl; [reflexivity|].
  rewrite IHn, H; auto with arith.
Qed.

Lemma product_one : forall f n,
  (forall i, (i < n)%nat -> f i = 1) -> product f n = 1.
Proof.
  intros f n; induction n; intros H; simpl; [reflexivity|].
  rewrite IHn, H by auto with arith; ring.
Qed.

Lemma product_take_out : forall f k n, (k < n)%nat ->
  product f n = f k * product (fun i => if (i =? k)%nat then 1 else f i) n.
Proof.
  intros f k n; induction n as [|n IH]; intros H; [lia|].
  cbn [product]. destruct (Nat.eq_dec k n) as [->|D].
  - rewrite Nat.eqb_refl.
    rewrite (product_ext (fun i => if (i =? n)%nat then 1 else f i) f n); [ring|].
    intros i Hi. destruct (Nat.eqb_spec i n); [lia|reflexivity].
  - rewrite IH by lia. destruct (Nat.eqb_spec n k); [lia|ring].
Qed.

(* A product of which only the factors a and b are not 1. *)
Lemma product_two : forall f a b n, (a < n)%nat -> (b < n)%nat -> a <> b ->
  (forall i, (i < n)%nat -> i <> a -> i <> b -> f i = 1) ->
  product f n = f a * f b.
Proof.
  intros f a b n Ha Hb D H.
  rewrite (product_take_out f a n Ha), (product_take_out _ b n Hb).
  destruct (Nat.eqb_spec b a); [congruence|].
  rewrite (product_one (fun i => if (i =? b)%nat then 1 else _)); [ring|].
  intros i Hi. destruct (Nat.eqb_spec i b), (Nat.eqb_spec i a); auto.
Qed.

Lemma product_four : forall f a b c d n,
  (a < n)%nat -> (b < n)%nat -> (c < n)%nat -> (d < n)%nat ->
  a <> b -> a <> c -> a <> d -> b <> c -> b <> d -> c <> d ->
  (forall i, (i < n)%nat -> i <> a -> i <> b -> i <> c -> i <> d -> f i = 1) ->
  product f n = f a * f b * f c * f d.
Proof.
  intros f a b c d n Ha Hb Hc Hd ab ac ad bc bd cd H.
  rewrite (product_take_out f a n Ha), (product_take_out _ b n Hb).
  rewrite (product_two (fun i => if (i =? b)%nat then 1 else _) c d); auto.
  - destruct (Nat.eqb_spec b a), (Nat.eqb_spec c b), (Nat.eqb_spec c a),
      (Nat.eqb_spec d b), (Nat.eqb_spec d a); try congruence. ring.
  - intros i Hi ic id. destruct (Nat.eqb_spec i b), (Nat.eqb_spec i a); auto.
Qed.

(* Expectations *)

Lemma expectation_ext : forall N p f g,
  (forall w, (w < N)%nat -> f w = g w) -> expectation N p f = expectation N p g.
Proof. intros N p f g H; apply sum_ext; intros; rewrite H by assumption; reflexivity. Qed.

Lemma expectation_plus : forall N p f g,
  expectation N p (fun w => f w + g w) = expectation N p f + expectation N p g.
Proof. intros; unfold expectation; rewrite <- sum_plus; apply sum_ext; intros; ring. Qed.

Lemma expectation_scal : forall N p c f,
  expectation N p (fun w => c * f w) = c * expectation N p f.
Proof. intros; unfold expectation; rewrite <- sum_scal; apply sum_ext; intros; ring. Qed.

Lemma expectation_const : forall N p c, probabilities N p -> expectation N p (fun _ => c) = c.
Proof. intros N p c [_ H]. unfold expectation. rewrite sum_scal_r, H. ring. Qed.

Lemma expectation_sum : forall N p (f : nat -> nat -> R) n,
  expectation N p (fun w => sum (fun i => f i w) n) = sum (fun i => expectation N p (f i)) n.
Proof.
  intros N p f n. unfold expectation. rewrite sum_swap.
  apply sum_ext; intros. rewrite sum_scal. reflexivity.
Qed.

(* Independence of functions: a function of a random number with finitely many
   values is a combination of the indicators of those values. *)

(* At how many outcomes X takes the value x. *)
Definition occurrences (N : nat) (X : nat -> R) (x : R) : R :=
  sum (fun u => equals x (X u)) N.

Lemma occurrences_pos : forall N X w, (w < N)%nat -> 0 < occurrences N X (X w).
Proof.
  intros N X w Hw. apply (sum_pos _ N w); [|assumption|]; unfold equals.
  - intros i _; destruct (Req_EM_T (X w) (X i)); lra.
  - destruct (Req_EM_T (X w) (X w)); [lra|congruence].
Qed.

Lemma function_from_indicators : forall N X (g : R -> R) w, (w < N)%nat ->
  g (X w) = sum (fun u => g (X u) / occurrences N X (X u) * equals (X w) (X u)) N.
Proof.
  intros N X g w Hw. pose proof (occurrences_pos N X w Hw) as P.
  rewrite (sum_ext _ (fun u => g (X w) / occurrences N X (X w) * equals (X w) (X u))).
  - rewrite sum_scal. fold (occurrences N X (X w)). field; lra.
  - intros u _; unfold equals. destruct (Req_EM_T (X w) (X u)) as [E|]; [rewrite E|]; ring.
Qed.

Lemma independent_functions : forall N p X n, mutually_independent N p X n ->
  forall g : nat -> R -> R,
    expectation N p (fun w => product (fun i => g i (X i w)) n)
    = product (fun i => expectation N p (fun w => g i (X i w))) n.
Proof.
  intros N p X n I g.
  (* one variable after the other: the first m are functions already, the rest
     still indicators *)
  assert (H : forall m, (m <= n)%nat -> forall x : nat -> R,
    let e := fun i w => if (i <? m)%nat then g i (X i w) else equals (X i w) (x i) in
    expectation N p (fun w => product (fun i => e i w) n)
    = product (fun i => expectation N p (e i)) n).
  { induction m as [|m IH]; intros Hm x e; [apply (I x)|].
    pose (c := fun u => g m (X m u) / occurrences N (X m) (X m u)).
    pose (rest := fun w => product (fun i => if (i =? m)%nat then 1 else e i w) n).
    pose (x' := fun u i => if (i =? m)%nat then X m u else x i).
    pose (e' := fun u i w => if (i <? m)%nat then g i (X i w) else equals (X i w) (x' u i)).
    assert (Em : forall w, e m w = g m (X m w)).
    { intros w; unfold e. destruct (Nat.ltb_spec m (S m)); [reflexivity|lia]. }
    assert (Em' : forall u w, e' u m w = equals (X m w) (X m u)).
    { intros u w; unfold e', x'. rewrite Nat.ltb_irrefl, Nat.eqb_refl; reflexivity. }
    assert (Eo : forall u i, i <> m -> e' u i = e i).
    { intros u i Hi; unfold e', e, x'. destruct (Nat.eqb_spec i m); [lia|].
      destruct (Nat.ltb_spec i m), (Nat.ltb_spec i (S m)); try lia; reflexivity. }
    (* write factor m as a combination of indicators *)
    rewrite (expectation_ext N p _ (fun w => sum (fun u => c u * product (fun i => e' u i w) n) N)).
    2:{ intros w Hw. rewrite (product_take_out _ m) by lia. fold (rest w).
        rewrite Em, (function_from_indicators N (X m) (g m) w Hw).
        rewrite Rmult_comm, <- sum_scal. apply sum_ext; intros u _.
        rewrite (product_take_out (fun i => e' u i w) m) by lia. rewrite Em'.
        rewrite (product_ext (fun i => if (i =? m)%nat then 1 else e' u i w)
                             (fun i => if (i =? m)%nat then 1 else e i w)).
        - fold (rest w). unfold c. ring.
        - intros i _. destruct (Nat.eqb_spec i m); [reflexivity|].
          rewrite Eo by assumption; reflexivity. }
    rewrite (expectation_sum N p (fun u w => c u * product (fun i => e' u i w) n)).
    (* each term is one with m functions: use the induction hypothesis *)
    rewrite (sum_ext _ (fun u =>
      product (fun i => if (i =? m)%nat then 1 else expectation N p (e i)) n
      * expectation N p (fun w => c u * equals (X m w) (X m u)))).
    2:{ intros u _. rewrite !expectation_scal.
        transitivity (c u * product (fun i => expectation N p (e' u i)) n);
          [f_equal; exact (IH ltac:(lia) (x' u))|].
        rewrite (product_take_out (fun i => expectation N p (e' u i)) m) by lia.
        rewrite (product_ext (fun i => if (i =? m)%nat then 1 else expectation N p (e' u i))
                             (fun i => if (i =? m)%nat then 1 else expectation N p (e i))).
        - rewrite (expectation_ext N p (e' u m) (fun w => equals (X m w) (X m u))
                     (fun w _ => Em' u w)). ring.
        - intros i _. destruct (Nat.eqb_spec i m); [reflexivity|].
          rewrite Eo by assumption; reflexivity. }
    (* and put factor m together again *)
    rewrite sum_scal, <- (expectation_sum N p (fun u w => c u * equals (X m w) (X m u))).
    rewrite (product_take_out (fun i => expectation N p (e i)) m) by lia.
    rewrite (expectation_ext N p (e m)
               (fun w => sum (fun u => c u * equals (X m w) (X m u)) N)); [ring|].
    intros w Hw. rewrite Em. apply function_from_indicators; assumption. }
  specialize (H n (Nat.le_refl n) (fun _ => 0)). cbv zeta in H.
  rewrite (expectation_ext N p _ (fun w =>
    product (fun i => if (i <? n)%nat then g i (X i w) else equals (X i w) 0) n)).
  - rewrite H. apply product_ext; intros i Hi. apply expectation_ext; intros w _.
    destruct (Nat.ltb_spec i n); [reflexivity|lia].
  - intros w _; apply product_ext; intros i Hi. destruct (Nat.ltb_spec i n); [reflexivity|lia].
Qed.

(* Sums of uncorrelated numbers: the variances add. *)
Lemma variance_of_a_sum : forall N p (z : nat -> nat -> R) d,
  (forall a b, (a < d)%nat -> (b < d)%nat -> a <> b ->
     expectation N p (fun w => z a w * z b w) = expectation N p (z a) * expectation N p (z b)) ->
  variance N p (fun w => sum (fun a => z a w) d) = sum (fun a => variance N p (z a)) d.
Proof.
  intros N p z d; induction d as [|d IH]; intros U; cbn [sum].
  - unfold variance, expectation. rewrite !sum_zero by (intros; ring). ring.
  - rewrite <- IH by (intros; apply U; lia). unfold variance.
    pose (s := fun w => sum (fun a => z a w) d).
    rewrite (expectation_ext N p _ (fun w => s w * s w + (2 * (s w * z d w) + z d w * z d w)))
      by (intros; unfold s; ring).
    rewrite !expectation_plus, expectation_scal.
    (* the last number is uncorrelated with the sum of the others *)
    assert (C : expectation N p (fun w => s w * z d w) = expectation N p s * expectation N p (z d)).
    { rewrite (expectation_ext N p _ (fun w => sum (fun a => z a w * z d w) d))
        by (intros; unfold s; rewrite sum_scal_r; reflexivity).
      rewrite (expectation_sum N p (fun a w => z a w * z d w)).
      unfold s. rewrite (expectation_sum N p z), <- sum_scal_r.
      apply sum_ext; intros a Ha. apply U; lia. }
    rewrite C. unfold s. cbv beta. ring.
Qed.

Lemma sum_const : forall c n, sum (fun _ => c) n = INR n * c.
Proof.
  intros c n; induction n as [|n IH]; cbn [sum]; [simpl; ring|].
  rewrite IH, S_INR. ring.
Qed.

Theorem uncorrelated_products_are_enough : forall N p d_k q k,
  let z := fun a w => q a w * k a w in
  (forall a b, (a < d_k)%nat -> (b < d_k)%nat -> a <> b ->
     expectation N p (fun w => z a w * z b w) = expectation N p (z a) * expectation N p (z b)) ->
  (forall a, (a < d_k)%nat -> variance N p (z a) = 1) ->
  variance N p (dot_product d_k q k) = INR d_k.
Proof.
  intros N p d_k q k z U V.
  change (variance N p (fun w => sum (fun a => z a w) d_k) = INR d_k).
  rewrite (variance_of_a_sum N p z d_k U), (sum_ext _ (fun _ => 1) d_k V), sum_const. ring.
Qed.

(* The entries *)

Section DotProduct.

Variables (N : nat) (p : nat -> R) (d_k : nat) (q k : nat -> nat -> R).
Hypothesis space : probabilities N p.
Hypothesis independence : mutually_independent N p (entries d_k q k) (d_k + d_k).

Notation E := (expectation N p).

Lemma entries_query : forall a, (a < d_k)%nat -> entries d_k q k a = q a.
Proof. intros a H. unfold entries. destruct (Nat.ltb_spec a d_k); [reflexivity|lia]. Qed.

Lemma entries_key : forall a, entries d_k q k (d_k + a)%nat = k a.
Proof.
  intros a. unfold entries. destruct (Nat.ltb_spec (d_k + a) d_k); [lia|].
  rewrite Nat.add_comm, Nat.add_sub. reflexivity.
Qed.

Lemma expectation_of_two : forall (f g : R -> R) a, (a < d_k)%nat ->
  E (fun w => f (q a w) * g (k a w)) = E (fun w => f (q a w)) * E (fun w => g (k a w)).
Proof.
  intros f g a Ha.
  pose (h := fun i x => if (i =? a)%nat then f x
                        else if (i =? d_k + a)%nat then g x else 1).
  pose proof (independent_functions N p _ _ independence h) as H.
  assert (h1 : forall x, h a x = f x)
    by (intros; unfold h; rewrite Nat.eqb_refl; reflexivity).
  assert (h2 : forall x, h (d_k + a)%nat x = g x).
  { intros; unfold h. rewrite Nat.eqb_refl.
    destruct (Nat.eqb_spec (d_k + a) a); [lia|reflexivity]. }
  assert (h0 : forall i x, i <> a -> i <> (d_k + a)%nat -> h i x = 1).
  { intros i x i1 i2; unfold h.
    destruct (Nat.eqb_spec i a), (Nat.eqb_spec i (d_k + a)); congruence. }
  rewrite (product_two _ a (d_k + a)) in H; try lia.
  2:{ intros i _ i1 i2. transitivity (E (fun _ => 1)); [|apply expectation_const; assumption].
      apply expectation_ext; intros; apply h0; assumption. }
  rewrite (expectation_ext N p _ (fun w => f (q a w) * g (k a w))) in H.
  2:{ intros w _. rewrite (product_two _ a (d_k + a)); try lia.
      - rewrite h1, h2, entries_query, entries_key by assumption. reflexivity.
      - intros; apply h0; assumption. }
  rewrite H. f_equal; apply expectation_ext; intros w _.
  - rewrite h1, entries_query by assumption. reflexivity.
  - rewrite h2, entries_key. reflexivity.
Qed.

Lemma products_are_uncorrelated : forall a b, (a < d_k)%nat -> (b < d_k)%nat -> a <> b ->
  E (fun w => q a w * k a w * (q b w * k b w))
  = E (fun w => q a w * k a w) * E (fun w => q b w * k b w).
Proof.
  intros a b Ha Hb D.
  pose (chosen := fun i =>
    ((i =? a) || (i =? b) || (i =? d_k + a) || (i =? d_k + b))%nat%bool).
  pose (h := fun i (x : R) => if chosen i then x else 1).
  pose proof (independent_functions N p _ _ independence h) as H.
  assert (h1 : forall i x, chosen i = true -> h i x = x)
    by (intros i x T; unfold h; rewrite T; reflexivity).
  assert (h0 : forall i x,
    i <> a -> i <> (d_k + a)%nat -> i <> b -> i <> (d_k + b)%nat -> h i x = 1).
  { intros i x i1 i2 i3 i4; unfold h, chosen.
    destruct (Nat.eqb_spec i a), (Nat.eqb_spec i (d_k + a)), (Nat.eqb_spec i b),
      (Nat.eqb_spec i (d_k + b)); try congruence; reflexivity. }
  assert (T : chosen a = true /\ chosen (d_k + a)%nat = true
              /\ chosen b = true /\ chosen (d_k + b)%nat = true).
  { unfold chosen. rewrite !Nat.eqb_refl, !Bool.orb_true_r. auto. }
  destruct T as (Ta & Ta' & Tb & Tb').
  rewrite (product_four _ a (d_k + a) b (d_k + b)) in H; try lia.
  2:{ intros i _ i1 i2 i3 i4. transitivity (E (fun _ => 1)); [|apply expectation_const; assumption].
      apply expectation_ext; intros; apply h0; assumption. }
  rewrite (expectation_ext N p _ (fun w => q a w * k a w * (q b w * k b w))) in H.
  2:{ intros w _. rewrite (product_four _ a (d_k + a) b (d_k + b)); try lia.
      - rewrite !h1, (entries_query a), (entries_query b), !entries_key by assumption. ring.
      - intros; apply h0; assumption. }
  rewrite H, (expectation_of_two (fun x => x) (fun x => x) a Ha),
    (expectation_of_two (fun x => x) (fun x => x) b Hb).
  rewrite (expectation_ext N p (fun w => h a _) (q a))
    by (intros; rewrite h1, entries_query by assumption; reflexivity).
  rewrite (expectation_ext N p (fun w => h b _) (q b))
    by (intros; rewrite h1, entries_query by assumption; reflexivity).
  rewrite (expectation_ext N p (fun w => h (d_k + a)%nat _) (k a))
    by (intros; rewrite h1, entries_key by assumption; reflexivity).
  rewrite (expectation_ext N p (fun w => h (d_k + b)%nat _) (k b))
    by (intros; rewrite h1, entries_key by assumption; reflexivity).
  change (fun w : nat => q a w) with (q a). change (fun w : nat => k a w) with (k a).
  change (fun w : nat => q b w) with (q b). change (fun w : nat => k b w) with (k b). ring.
Qed.

Theorem dot_product_variance_with_means : forall mu nu,
  (forall a, (a < d_k)%nat -> E (q a) = mu /\ variance N p (q a) = 1) ->
  (forall a, (a < d_k)%nat -> E (k a) = nu /\ variance N p (k a) = 1) ->
  variance N p (dot_product d_k q k) = INR d_k * (1 + mu * mu + nu * nu).
Proof.
  intros mu nu Q K. unfold dot_product.
  (* the d_k products are uncorrelated *)
  rewrite (variance_of_a_sum N p (fun a w => q a w * k a w) d_k)
    by (intros; apply products_are_uncorrelated; assumption).
  rewrite (sum_ext _ (fun _ => 1 + mu * mu + nu * nu)).
  - apply sum_const.
  - (* and each has the variance E[q_a^2] E[k_a^2] - E[q_a]^2 E[k_a]^2 *)
    intros a Ha. destruct (Q a Ha) as [Mq Vq], (K a Ha) as [Mk Vk].
    unfold variance in *.
    rewrite (expectation_ext N p _ (fun w => (q a w * q a w) * (k a w * k a w)))
      by (intros; ring).
    rewrite (expectation_of_two (fun x => x * x) (fun x => x * x) a Ha).
    rewrite (expectation_of_two (fun x => x) (fun x => x) a Ha).
    change (fun w : nat => q a w) with (q a). change (fun w : nat => k a w) with (k a).
    rewrite Mq in *. rewrite Mk in *.
    replace (E (fun w => q a w * q a w)) with (1 + mu * mu) by lra.
    replace (E (fun w => k a w * k a w)) with (1 + nu * nu) by lra. ring.
Qed.

End DotProduct.

Theorem dot_product_variance_is_d_k : forall N p d_k q k,
  probabilities N p ->
  mutually_independent N p (entries d_k q k) (d_k + d_k) ->
  (forall a, (a < d_k)%nat -> expectation N p (q a) = 0 /\ variance N p (q a) = 1) ->
  (forall a, (a < d_k)%nat -> expectation N p (k a) = 0 /\ variance N p (k a) = 1) ->
  variance N p (dot_product d_k q k) = INR d_k.
Proof.
  intros N p d_k q k space I Q K.
  rewrite (dot_product_variance_with_means N p d_k q k space I 0 0 Q K). ring.
Qed.

Theorem scaled_dot_product_variance_is_one : forall N p d_k q k,
  (0 < d_k)%nat ->
  probabilities N p ->
  mutually_independent N p (entries d_k q k) (d_k + d_k) ->
  (forall a, (a < d_k)%nat -> expectation N p (q a) = 0 /\ variance N p (q a) = 1) ->
  (forall a, (a < d_k)%nat -> expectation N p (k a) = 0 /\ variance N p (k a) = 1) ->
  variance N p (fun w => dot_product d_k q k w / sqrt (INR d_k)) = 1.
Proof.
  intros N p d_k q k D space I Q K.
  pose proof (dot_product_variance_is_d_k N p d_k q k space I Q K) as V.
  assert (P : 0 < INR d_k) by (apply lt_0_INR; assumption).
  pose proof (sqrt_lt_R0 _ P) as Ps. pose proof (sqrt_sqrt _ (Rlt_le _ _ P)) as SS.
  set (s := sqrt (INR d_k)) in *. unfold variance in *.
  rewrite (expectation_ext N p (fun w => _ / s * _)
    (fun w => / (s * s) * (dot_product d_k q k w * dot_product d_k q k w))) by (intros; field; lra).
  rewrite (expectation_ext N p (fun w => _ / s) (fun w => / s * dot_product d_k q k w))
    by (intros; field; lra).
  rewrite !expectation_scal. change (fun w => dot_product d_k q k w) with (dot_product d_k q k).
  transitivity (/ (s * s) * INR d_k); [rewrite <- V; field; lra|].
  rewrite SS. field. lra.
Qed.

(* Fair coins: of the 2^n equally likely outcomes, bit i decides whether the
   i-th number is mu - 1 or mu + 1. *)

Definition coin (mu : R) (i w : nat) : R := if Nat.testbit w i then mu + 1 else mu - 1.

Lemma testbit_high : forall n w, (w < 2 ^ n)%nat ->
  Nat.testbit w n = false /\ Nat.testbit (2 ^ n + w) n = true.
Proof.
  intros n w H. assert (2 ^ n <> 0)%nat by (apply Nat.pow_nonzero; lia).
  split; [apply Nat.testbit_false|apply Nat.testbit_true].
  - rewrite Nat.div_small by assumption. reflexivity.
  - replace (2 ^ n + w)%nat with (1 * 2 ^ n + w)%nat by lia.
    rewrite Nat.div_add_l, Nat.div_small by assumption. reflexivity.
Qed.

Lemma testbit_low : forall n w i, (w < 2 ^ n)%nat -> (i < n)%nat ->
  Nat.testbit (2 ^ n + w) i = Nat.testbit w i.
Proof.
  intros n w i H Hi. assert (2 ^ n <> 0)%nat by (apply Nat.pow_nonzero; lia).
  rewrite <- (Nat.mod_pow2_bits_low (2 ^ n + w) n i Hi).
  replace (2 ^ n + w)%nat with (w + 1 * 2 ^ n)%nat by lia.
  rewrite Nat.mod_add, Nat.mod_small by assumption. reflexivity.
Qed.

(* The sum over all outcomes of a product over coins is a product of sums. *)
Lemma sum_over_coins : forall (f : nat -> bool -> R) n,
  sum (fun w => product (fun i => f i (Nat.testbit w i)) n) (2 ^ n)
  = product (fun i => f i false + f i true) n.
Proof.
  intros f n; induction n as [|n IH]; [simpl; ring|].
  replace (2 ^ S n)%nat with (2 ^ n + 2 ^ n)%nat by (simpl; lia).
  rewrite sum_app. cbn [product]. rewrite <- IH.
  rewrite (sum_ext (fun w => product (fun i => f i (Nat.testbit w i)) n * f n (Nat.testbit w n))
    (fun w => product (fun i => f i (Nat.testbit w i)) n * f n false)).
  2:{ intros w Hw. destruct (testbit_high n w Hw) as [-> _]. reflexivity. }
  rewrite (sum_ext (fun w => product _ n * f n (Nat.testbit (2 ^ n + w) n))
    (fun w => product (fun i => f i (Nat.testbit w i)) n * f n true)).
  2:{ intros w Hw. destruct (testbit_high n w Hw) as [_ ->]. f_equal.
      apply product_ext; intros i Hi. rewrite testbit_low by assumption. reflexivity. }
  rewrite !sum_scal_r. ring.
Qed.

Lemma pow2_pos : forall n, 0 < INR (2 ^ n).
Proof. intros n. apply lt_0_INR. assert (2 ^ n <> 0)%nat by (apply Nat.pow_nonzero; lia). lia. Qed.

Definition fair (n : nat) : nat -> R := fun _ => / INR (2 ^ n).

Lemma fair_probabilities : forall n, probabilities (2 ^ n) (fair n).
Proof.
  intros n. pose proof (pow2_pos n). split.
  - intros w _. unfold fair. apply Rlt_le, Rinv_0_lt_compat; assumption.
  - unfold fair. rewrite sum_const. field. lra.
Qed.

Lemma expectation_over_coins : forall (f : nat -> bool -> R) n,
  expectation (2 ^ n) (fair n) (fun w => product (fun i => f i (Nat.testbit w i)) n)
  = product (fun i => (f i false + f i true) / 2) n.
Proof.
  intros f n. unfold expectation, fair. rewrite sum_scal, sum_over_coins.
  induction n as [|n IH]; [simpl; field|]. cbn [product]. rewrite <- IH.
  change (2 ^ S n)%nat with (2 * 2 ^ n)%nat. rewrite mult_INR.
  replace (INR 2) with 2 by (simpl; lra).
  pose proof (pow2_pos n). field. lra.
Qed.

Lemma expectation_of_one_coin : forall (f : bool -> R) n i, (i < n)%nat ->
  expectation (2 ^ n) (fair n) (fun w => f (Nat.testbit w i)) = (f false + f true) / 2.
Proof.
  intros f n i Hi.
  pose (g := fun j b => if (j =? i)%nat then f b else 1).
  assert (G : forall h, (forall j, j <> i -> h j = 1) -> product h n = h i).
  { intros h H. rewrite (product_take_out h i n Hi), product_one; [ring|].
    intros j _. destruct (Nat.eqb_spec j i); auto. }
  rewrite (expectation_ext _ _ _ (fun w => product (fun j => g j (Nat.testbit w j)) n)).
  2:{ intros w _. rewrite G.
      - unfold g. rewrite Nat.eqb_refl. reflexivity.
      - intros j D. unfold g. destruct (Nat.eqb_spec j i); congruence. }
  rewrite expectation_over_coins, G.
  - unfold g. rewrite Nat.eqb_refl. reflexivity.
  - intros j D. unfold g. destruct (Nat.eqb_spec j i); [congruence|field].
Qed.

Lemma coins_are_independent : forall mu n,
  mutually_independent (2 ^ n) (fair n) (coin mu) n.
Proof.
  intros mu n x. unfold coin.
  rewrite (expectation_over_coins (fun i b => equals (if b then mu + 1 else mu - 1) (x i))).
  apply product_ext; intros i Hi. symmetry.
  apply (expectation_of_one_coin (fun b => equals (if b then mu + 1 else mu - 1) (x i))).
  assumption.
Qed.

Theorem such_entries_exist : forall d_k mu, exists N p q k,
  probabilities N p /\
  mutually_independent N p (entries d_k q k) (d_k + d_k) /\
  (forall a, (a < d_k)%nat -> expectation N p (q a) = mu /\ variance N p (q a) = 1) /\
  (forall a, (a < d_k)%nat -> expectation N p (k a) = mu /\ variance N p (k a) = 1).
Proof.
  intros d_k mu. set (n := (d_k + d_k)%nat).
  assert (M : forall i, (i < n)%nat -> expectation (2 ^ n) (fair n) (coin mu i) = mu
                                     /\ variance (2 ^ n) (fair n) (coin mu i) = 1).
  { intros i Hi. unfold variance.
    pose proof (expectation_of_one_coin (fun b => if b then mu + 1 else mu - 1) n i Hi) as H1.
    pose proof (expectation_of_one_coin (fun b => (if b then mu + 1 else mu - 1)
                                                * (if b then mu + 1 else mu - 1)) n i Hi) as H2.
    unfold coin. split; [rewrite H1; field|]. rewrite H2.
    change (coin mu i) with (fun w => if Nat.testbit w i then mu + 1 else mu - 1).
    rewrite H1. field. }
  exists (2 ^ n)%nat, (fair n), (coin mu), (fun a => coin mu (d_k + a)%nat).
  split; [apply fair_probabilities|]. split; [|split; intros a Ha; apply M; unfold n; lia].
  assert (C : forall i, entries d_k (coin mu) (fun a => coin mu (d_k + a)%nat) i = coin mu i).
  { intros i. unfold entries. destruct (Nat.ltb_spec i d_k); [reflexivity|]. f_equal; lia. }
  intros x.
  rewrite (expectation_ext _ _ _ (fun w => product (fun i => equals (coin mu i w) (x i)) n))
    by (intros; apply product_ext; intros; rewrite C; reflexivity).
  fold n. rewrite (coins_are_independent mu n x).
  apply product_ext; intros i _. rewrite C. reflexivity.
Qed.

Theorem with_a_mean_the_variance_is_not_d_k : forall d_k, (0 < d_k)%nat ->
  exists N p q k,
  probabilities N p /\
  mutually_independent N p (entries d_k q k) (d_k + d_k) /\
  (forall a, (a < d_k)%nat -> expectation N p (q a) = 1 /\ variance N p (q a) = 1) /\
  (forall a, (a < d_k)%nat -> expectation N p (k a) = 1 /\ variance N p (k a) = 1) /\
  variance N p (dot_product d_k q k) = 3 * INR d_k /\
  variance N p (dot_product d_k q k) <> INR d_k.
Proof.
  intros d_k D. destruct (such_entries_exist d_k 1) as (N & p & q & k & S & I & Q & K).
  pose proof (dot_product_variance_with_means N p d_k q k S I 1 1 Q K) as V.
  apply lt_0_INR in D.
  exists N, p, q, k. do 4 (split; [assumption|]). rewrite V. split; [ring|lra].
Qed.

Theorem with_dependence_the_variance_is_not_d_k : exists N p q,
  probabilities N p /\
  (expectation N p (q 0%nat) = 0 /\ variance N p (q 0%nat) = 1) /\
  variance N p (dot_product 1 q q) = 0.
Proof.
  (* a fair sign: its square is always 1 *)
  exists 2%nat, (fun _ => / 2), (fun _ w => if (w =? 0)%nat then 1 else -1).
  unfold probabilities, variance, expectation, dot_product. simpl.
  repeat split; try (intros; lra); field.
Qed.

Print Assumptions dot_product_variance_is_d_k.
Print Assumptions scaled_dot_product_variance_is_one.
Print Assumptions dot_product_variance_with_means.
Print Assumptions uncorrelated_products_are_enough.
Print Assumptions such_entries_exist.
Print Assumptions with_a_mean_the_variance_is_not_d_k.
Print Assumptions with_dependence_the_variance_is_not_d_k.
