(* Scaled dot-product attention over the reals, as in the paper.

   A matrix is a function of a row and a column; sizes are passed beside it.
   A mask is boolean and true means "may attend". The names are those of the
   paper: n queries (a row each), m keys, d_k the width of queries and keys.

   Definitions:
     scores Q K d_k i j          (Q K^T)_ij / sqrt d_k
     row_total S keep m i        sum of exp (S i k) over the kept keys k < m
     weights S keep m i j        the softmax over the kept keys of row i; 0 for
                                 a hidden key, so a row without kept keys has
                                 the weights 0
     attention S keep V m i c    sum over the keys of weights times values
     scaled_dot_product_attention Q K V d_k keep m    the two put together
     project X W b width         X W + b, where X has `width` columns

   What this file offers besides:
     row_total_pos, row_total_nonneg, row_total_ext
     weights_kept, weights_hidden, weights_quotient, weights_ext
     attention_quotient          the output as one quotient of kept sums
     attention_ext, scores_ext, scaled_dot_product_attention_ext
                                 what an output row depends on, and nothing else *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums.
Open Scope R_scope.

Definition matrix := nat -> nat -> R.
Definition mask := nat -> nat -> bool.

Definition scores (Q K : matrix) (d_k : nat) : matrix :=
  fun i j => sum (fun c => Q i c * K j c) d_k / sqrt (INR d_k).

(* The sum of f over the kept indices below m. *)
Definition kept_sum (keep : nat -> bool) (f : nat -> R) (m : nat) : R :=
  sum (fun j => if keep j then f j else 0) m.

Definition row_total (S : matrix) (keep : mask) (m i : nat) : R :=
  kept_sum (keep i) (fun k => exp (S i k)) m.

Definition weights (S : matrix) (keep : mask) (m : nat) : matrix :=
  fun i j => if keep i j then exp (S i j) / row_total S keep m i else 0.

Definition attention (S : matrix) (keep : mask) (V : matrix) (m : nat) : matrix :=
  fun i c => sum (fun j => weights S keep m i j * V j c) m.

Definition scaled_dot_product_attention
    (Q K V : matrix) (d_k : nat) (keep : mask) (m : nat) : matrix :=
  attention (scores Q K d_k) keep V m.

Definition project (X W : matrix) (b : nat -> R) (width : nat) : matrix :=
  fun i c => sum (fun e => X i e * W e c) width + b c.

(* Row i may attend to some key. *)
Definition has_kept_key (keep : mask) (m i : nat) : Prop :=
  exists j, (j < m)%nat /\ keep i j = true.

(* Nothing is hidden. *)
Definition keep_all : mask := fun _ _ => true.

(* Both masks must allow. *)
Definition both (a b : mask) : mask := fun i j => a i j && b i j.

(* The matrix X with its entry in row r and column c replaced by t. *)
Definition with_entry (X : matrix) (r c : nat) (t : R) : matrix :=
  fun i j => if ((r =? i) && (c =? j))%nat then t else X i j.

(* Kept sums *)

Lemma kept_sum_ext : forall keep keep' f g m,
  (forall j, (j < m)%nat -> keep j = keep' j) ->
  (forall j, (j < m)%nat -> keep j = true -> f j = g j) ->
  kept_sum keep f m = kept_sum keep' g m.
Proof.
  intros keep keep' f g m K F. apply sum_ext. intros j Hj.
  rewrite <- (K j Hj). destruct (keep j) eqn:E; auto.
Qed.

Lemma kept_sum_scal : forall keep c f m,
  kept_sum keep (fun j => c * f j) m = c * kept_sum keep f m.
Proof.
  intros. unfold kept_sum. rewrite <- sum_scal. apply sum_ext.
  intros j _. destruct (keep j); ring.
Qed.

Lemma kept_sum_le : forall keep f g m,
  (forall j, (j < m)%nat -> keep j = true -> f j <= g j) ->
  kept_sum keep f m <= kept_sum keep g m.
Proof.
  intros keep f g m H. apply sum_le. intros j Hj.
  destruct (keep j) eqn:E; [auto|lra].
Qed.

Lemma kept_sum_pos : forall keep f m,
  (exists j, (j < m)%nat /\ keep j = true) ->
  (forall j, (j < m)%nat -> keep j = true -> 0 < f j) ->
  0 < kept_sum keep f m.
Proof.
  intros keep f m (p & Hp & Kp) F. apply (sum_pos _ m p).
  - intros j Hj. destruct (keep j) eqn:E; [apply Rlt_le; auto|lra].
  - assumption.
  - rewrite Kp. auto.
Qed.

(* The denominator of the softmax *)

Lemma row_total_pos : forall S keep m i,
  has_kept_key keep m i -> 0 < row_total S keep m i.
Proof. intros S keep m i H. apply kept_sum_pos; [assumption|]. intros; apply exp_pos. Qed.

Lemma row_total_nonneg : forall S keep m i, 0 <= row_total S keep m i.
Proof.
  intros S keep m i. apply sum_nonneg. intros j _.
  destruct (keep i j); [apply Rlt_le, exp_pos|lra].
Qed.

Lemma row_total_ext : forall S S' keep keep' m i i',
  (forall j, (j < m)%nat -> keep i j = keep' i' j) ->
  (forall j, (j < m)%nat -> keep i j = true -> S i j = S' i' j) ->
  row_total S keep m i = row_total S' keep' m i'.
Proof.
  intros S S' keep keep' m i i' K E. apply kept_sum_ext; [assumption|].
  intros j Hj Kj. rewrite E; auto.
Qed.

(* The weights *)

Lemma weights_hidden : forall S keep m i j,
  keep i j = false -> weights S keep m i j = 0.
Proof. intros S keep m i j H. unfold weights. rewrite H. reflexivity. Qed.

Lemma weights_kept : forall S keep m i j,
  keep i j = true -> weights S keep m i j = exp (S i j) / row_total S keep m i.
Proof. intros S keep m i j H. unfold weights. rewrite H. reflexivity. Qed.

(* One quotient for kept and hidden keys alike. *)
Lemma weights_quotient : forall S keep m i j,
  weights S keep m i j
  = (if keep i j then exp (S i j) else 0) / row_total S keep m i.
Proof.
  intros S keep m i j. unfold weights. destruct (keep i j); [reflexivity|].
  unfold Rdiv. ring.
Qed.

Lemma weights_ext : forall S S' keep keep' m i i' j,
  (j < m)%nat ->
  (forall k, (k < m)%nat -> keep i k = keep' i' k) ->
  (forall k, (k < m)%nat -> keep i k = true -> S i k = S' i' k) ->
  weights S keep m i j = weights S' keep' m i' j.
Proof.
  intros S S' keep keep' m i i' j Hj K E. unfold weights.
  rewrite <- (K j Hj). destruct (keep i j) eqn:Kj; [|reflexivity].
  rewrite (E j Hj Kj), (row_total_ext S S' keep keep' m i i'); auto.
Qed.

(* The output *)

Lemma attention_quotient : forall S keep V m i c,
  attention S keep V m i c
  = kept_sum (keep i) (fun j => exp (S i j) * V j c) m / row_total S keep m i.
Proof.
  intros S keep V m i c. unfold attention, kept_sum. rewrite <- sum_div.
  apply sum_ext. intros j _. rewrite weights_quotient.
  destruct (keep i j); unfold Rdiv; ring.
Qed.

(* An output row depends on its own row of scores and mask, at the kept keys,
   and on the kept values: on nothing else. *)
Lemma attention_ext : forall S S' keep keep' V V' m i i' c c',
  (forall j, (j < m)%nat -> keep i j = keep' i' j) ->
  (forall j, (j < m)%nat -> keep i j = true -> S i j = S' i' j) ->
  (forall j, (j < m)%nat -> keep i j = true -> V j c = V' j c') ->
  attention S keep V m i c = attention S' keep' V' m i' c'.
Proof.
  intros S S' keep keep' V V' m i i' c c' K E H. rewrite !attention_quotient.
  rewrite (row_total_ext S S' keep keep' m i i') by assumption. f_equal.
  apply kept_sum_ext; [assumption|]. intros j Hj Kj. rewrite E, H; auto.
Qed.

Lemma scores_ext : forall Q Q' K K' d_k i i' j j',
  (forall c, (c < d_k)%nat -> Q i c = Q' i' c) ->
  (forall c, (c < d_k)%nat -> K j c = K' j' c) ->
  scores Q K d_k i j = scores Q' K' d_k i' j'.
Proof.
  intros Q Q' K K' d_k i i' j j' HQ HK. unfold scores. f_equal.
  apply sum_ext. intros c Hc. rewrite HQ, HK; auto.
Qed.

Lemma scaled_dot_product_attention_ext :
  forall Q Q' K K' V V' d_k keep keep' m i i' c c',
  (forall j, (j < m)%nat -> keep i j = keep' i' j) ->
  (forall e, (e < d_k)%nat -> Q i e = Q' i' e) ->
  (forall j e, (j < m)%nat -> keep i j = true -> (e < d_k)%nat -> K j e = K' j e) ->
  (forall j, (j < m)%nat -> keep i j = true -> V j c = V' j c') ->
  scaled_dot_product_attention Q K V d_k keep m i c
  = scaled_dot_product_attention Q' K' V' d_k keep' m i' c'.
Proof.
  intros. apply attention_ext; [assumption| |assumption].
  intros j Hj Kj. apply scores_ext; auto.
Qed.
