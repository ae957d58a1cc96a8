(* Derivatives of attention along curves of matrices, and the way back.

   A curve of matrices is a function X : R -> matrix. `moves X t X0 dX rows cols`
   says that its entries (below rows, cols) pass through those of X0 at time t
   with the velocities dX: this is the entrywise derivative at t, by the
   standard library's derivable_pt_lim. Varying one entry of a matrix is a
   curve too (with_entry_moves), so every partial derivative is a case of it.

   Forwards. Each operation turns moving inputs into a moving output:
     moves_still            a matrix that does not move
     with_entry_moves       one entry varied: the velocity is `unit_entry r c`
     plus_moves             a sum of two matrices
     matmul_moves           a product of two matrices
     project_moves          X W + b, all three moving
     scores_moves           the scores, queries and keys moving
     weights_moves          the softmax under a fixed mask, scores moving
     attention_moves        weights times values, scores and values moving
     scaled_dot_product_attention_moves    the whole, Q, K and V moving
     inner_moves            the scalar sum over i, c of G i c * X i c
   The velocity of the output is given by plus_tangent, matmul_tangent,
   project_tangent, scores_tangent, softmax_jacobian_times, attention_tangent,
   scaled_dot_product_attention_tangent.

   Backwards. `inner G dX rows cols` pairs a gradient G with a velocity dX. For
   each operation, pairing G with the output's velocity is pairing the gradients
   below with the inputs' velocities:
     matmul_pullback        left_gradient, right_gradient
     project_pullback       left_gradient, right_gradient, bias_gradient
     softmax_pullback       softmax_jacobian_times again: it is symmetric
     scores_pullback        queries_gradient, keys_gradient
     attention_pullback     weights_gradient, values_gradient
     scaled_dot_product_attention_pullback    all of them together
   and inner_unit_entry reads one entry of a gradient off such a pairing.

   A layer made of these operations is differentiated by chaining the forward
   lemmas once and the backward lemmas in the opposite order; this file ends
   with that for one attention: attention_backward_pass_along_a_curve.

   Nothing is assumed of the sizes. A row of the mask may be empty: its weights
   are 0 all along the curve, and so are its gradients. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

(* Derivatives of functions of one variable *)

Lemma derivative_ext : forall f g t l,
  (forall u, f u = g u) -> derivable_pt_lim f t l -> derivable_pt_lim g t l.
Proof.
  intros f g t l E D eps He. destruct (D eps He) as [delta H].
  exists delta. intros h Hh Hd. rewrite <- !E. auto.
Qed.

Lemma derivative_product : forall f g t df dg,
  derivable_pt_lim f t df -> derivable_pt_lim g t dg ->
  derivable_pt_lim (fun u => f u * g u) t (df * g t + f t * dg).
Proof. intros f g t df dg F G. exact (derivable_pt_lim_mult f g t df dg F G). Qed.

Lemma derivative_sum : forall (F : R -> nat -> R) (dF : nat -> R) t n,
  (forall i, (i < n)%nat -> derivable_pt_lim (fun u => F u i) t (dF i)) ->
  derivable_pt_lim (fun u => sum (F u) n) t (sum dF n).
Proof.
  intros F dF t n; induction n as [|p IH]; intros H; simpl.
  - exact (derivable_pt_lim_const 0 t).
  - apply (derivable_pt_lim_plus (fun u => sum (F u) p) (fun u => F u p));
      auto with arith.
Qed.

Lemma derivative_div_constant : forall f t df a,
  derivable_pt_lim f t df -> derivable_pt_lim (fun u => f u / a) t (df / a).
Proof.
  intros f t df a F. unfold Rdiv.
  apply (derivative_ext (fun u => / a * f u)); [intros; ring|].
  rewrite Rmult_comm. exact (derivable_pt_lim_scal f (/ a) t df F).
Qed.

Lemma derivative_exp : forall f t df,
  derivable_pt_lim f t df ->
  derivable_pt_lim (fun u => exp (f u)) t (exp (f t) * df).
Proof.
  intros f t df F.
  exact (derivable_pt_lim_comp f exp t df (exp (f t)) F (derivable_pt_lim_exp (f t))).
Qed.

(* Curves of matrices *)

Definition moves (X : R -> matrix) (t : R) (X0 dX : matrix) (rows cols : nat) : Prop :=
  forall r c, (r < rows)%nat -> (c < cols)%nat ->
  X t r c = X0 r c /\ derivable_pt_lim (fun u => X u r c) t (dX r c).

Definition zero_matrix : matrix := fun _ _ => 0.

Definition unit_entry (r c : nat) : matrix :=
  fun i j => if ((r =? i) && (c =? j))%nat then 1 else 0.

Lemma moves_still : forall X t rows cols,
  moves (fun _ => X) t X zero_matrix rows cols.
Proof.
  intros X t rows cols r c _ _. split; [reflexivity|].
  exact (derivable_pt_lim_const (X r c) t).
Qed.

Lemma with_entry_moves : forall X r c rows cols,
  moves (fun u => with_entry X r c u) (X r c) X (unit_entry r c) rows cols.
Proof.
  intros X r c rows cols i j _ _. unfold with_entry, unit_entry.
  destruct ((r =? i) && (c =? j))%nat eqn:E.
  - apply andb_prop in E. destruct E as [E F].
    apply Nat.eqb_eq in E, F. subst. split; [reflexivity|].
    exact (derivable_pt_lim_id (X i j)).
  - split; [reflexivity|]. exact (derivable_pt_lim_const (X i j) (X r c)).
Qed.

Definition plus_tangent (dA dB : matrix) : matrix := fun i c => dA i c + dB i c.

Lemma plus_moves : forall A B A0 B0 dA dB t rows cols,
  moves A t A0 dA rows cols -> moves B t B0 dB rows cols ->
  moves (fun u i c => A u i c + B u i c) t (fun i c => A0 i c + B0 i c)
        (plus_tangent dA dB) rows cols.
Proof.
  intros A B A0 B0 dA dB t rows cols HA HB i c Hi Hc.
  destruct (HA i c Hi Hc) as [EA DA]. destruct (HB i c Hi Hc) as [EB DB].
  split; [rewrite EA, EB; reflexivity|].
  exact (derivable_pt_lim_plus (fun u => A u i c) (fun u => B u i c) t _ _ DA DB).
Qed.

(* Products of matrices *)

Definition matmul (A B : matrix) (inside : nat) : matrix :=
  fun i c => sum (fun j => A i j * B j c) inside.

Definition matmul_tangent (A B dA dB : matrix) (inside : nat) : matrix :=
  fun i c => sum (fun j => dA i j * B j c + A i j * dB j c) inside.

Lemma matmul_moves : forall A B A0 B0 dA dB t rows inside cols,
  moves A t A0 dA rows inside -> moves B t B0 dB inside cols ->
  moves (fun u => matmul (A u) (B u) inside) t (matmul A0 B0 inside)
        (matmul_tangent A0 B0 dA dB inside) rows cols.
Proof.
  intros A B A0 B0 dA dB t rows inside cols HA HB i c Hi Hc. split.
  - apply sum_ext. intros j Hj.
    rewrite (proj1 (HA i j Hi Hj)), (proj1 (HB j c Hj Hc)). reflexivity.
  - apply derivative_sum. intros j Hj.
    destruct (HA i j Hi Hj) as [EA DA]. destruct (HB j c Hj Hc) as [EB DB].
    rewrite <- EA, <- EB.
    exact (derivative_product (fun u => A u i j) (fun u => B u j c) t _ _ DA DB).
Qed.

Definition project_tangent (X W dX dW : matrix) (db : nat -> R) (width : nat) : matrix :=
  fun i c => matmul_tangent X W dX dW width i c + db c.

Lemma project_moves : forall X W b X0 W0 b0 dX dW db t rows width cols,
  moves X t X0 dX rows width -> moves W t W0 dW width cols ->
  (forall c, (c < cols)%nat ->
     b t c = b0 c /\ derivable_pt_lim (fun u => b u c) t (db c)) ->
  moves (fun u => project (X u) (W u) (b u) width) t (project X0 W0 b0 width)
        (project_tangent X0 W0 dX dW db width) rows cols.
Proof.
  intros X W b X0 W0 b0 dX dW db t rows width cols HX HW Hb i c Hi Hc.
  destruct (matmul_moves _ _ _ _ _ _ t rows width cols HX HW i c Hi Hc) as [E D].
  destruct (Hb c Hc) as [Eb Db]. unfold project. split.
  - rewrite <- Eb. f_equal. exact E.
  - exact (derivable_pt_lim_plus _ (fun u => b u c) t _ _ D Db).
Qed.

(* Scores *)

Definition scores_tangent (Q K dQ dK : matrix) (d_k : nat) : matrix :=
  fun i j => sum (fun c => dQ i c * K j c + Q i c * dK j c) d_k / sqrt (INR d_k).

Lemma scores_moves : forall Q K Q0 K0 dQ dK t n m d_k,
  moves Q t Q0 dQ n d_k -> moves K t K0 dK m d_k ->
  moves (fun u => scores (Q u) (K u) d_k) t (scores Q0 K0 d_k)
        (scores_tangent Q0 K0 dQ dK d_k) n m.
Proof.
  intros Q K Q0 K0 dQ dK t n m d_k HQ HK i j Hi Hj. split.
  - apply scores_ext; intros c Hc; [apply HQ|apply HK]; assumption.
  - unfold scores, scores_tangent. apply derivative_div_constant, derivative_sum.
    intros c Hc.
    destruct (HQ i c Hi Hc) as [EQ DQ]. destruct (HK j c Hj Hc) as [EK DK].
    rewrite <- EQ, <- EK.
    exact (derivative_product (fun u => Q u i c) (fun u => K u j c) t _ _ DQ DK).
Qed.

(* The softmax. Row i of its Jacobian has the entries
   P i j * ((if j = k then 1 else 0) - P i k); applied to row i of X it gives
   P i j * (X i j - sum over k of P i k * X i k). *)
Definition softmax_jacobian_times (P X : matrix) (m : nat) : matrix :=
  fun i j => P i j * (X i j - sum (fun k => P i k * X i k) m).

Lemma row_total_derivative : forall (S : R -> matrix) (dS : matrix) keep t m i,
  (forall j, (j < m)%nat -> derivable_pt_lim (fun u => S u i j) t (dS i j)) ->
  derivable_pt_lim (fun u => row_total (S u) keep m i) t
    (kept_sum (keep i) (fun k => exp (S t i k) * dS i k) m).
Proof.
  intros S dS keep t m i D. unfold row_total, kept_sum.
  apply derivative_sum. intros k Hk. destruct (keep i k).
  - exact (derivative_exp (fun u => S u i k) t (dS i k) (D k Hk)).
  - exact (derivable_pt_lim_const 0 t).
Qed.

Lemma weights_moves : forall S S0 dS keep t n m,
  moves S t S0 dS n m ->
  moves (fun u => weights (S u) keep m) t (weights S0 keep m)
        (softmax_jacobian_times (weights S0 keep m) dS m) n m.
Proof.
  intros S S0 dS keep t n m HS i j Hi Hj.
  assert (E : forall k, (k < m)%nat -> S t i k = S0 i k) by (intros; apply HS; assumption).
  split; [apply weights_ext; auto|].
  unfold softmax_jacobian_times.
  destruct (keep i j) eqn:Kj.
  - (* a quotient of an exponential by the total *)
    assert (Z : 0 < row_total (S t) keep m i) by (apply row_total_pos; exists j; auto).
    pose proof (derivative_exp (fun u => S u i j) t (dS i j) (proj2 (HS i j Hi Hj))) as N.
    pose proof (row_total_derivative S dS keep t m i
                  (fun k Hk => proj2 (HS i k Hi Hk))) as T.
    pose proof (derivable_pt_lim_div _ _ t _ _ N T (Rgt_not_eq _ _ Z)) as D.
    apply (derivative_ext (fun u => exp (S u i j) / row_total (S u) keep m i)).
    { intros u. symmetry. apply weights_kept. assumption. }
    (* the total's velocity over the total is the weighted mean of the velocities *)
    assert (W : sum (fun k => weights S0 keep m i k * dS i k) m
                = kept_sum (keep i) (fun k => exp (S t i k) * dS i k) m
                  / row_total (S t) keep m i).
    { unfold kept_sum. rewrite <- sum_div. apply sum_ext. intros k Hk.
      rewrite <- (weights_ext (S t) S0 keep keep m i i k) by auto.
      rewrite weights_quotient. destruct (keep i k); unfold Rdiv; ring. }
    rewrite W, <- (weights_ext (S t) S0 keep keep m i i j), weights_kept by auto.
    match type of D with derivable_pt_lim _ _ ?l => match goal with
      |- derivable_pt_lim _ _ ?r => replace r with l end end; [exact D|].
    unfold Rsqr. field. lra.
  - (* a hidden key keeps the weight 0 *)
    rewrite weights_hidden, Rmult_0_l by assumption.
    apply (derivative_ext (fun _ => 0)).
    { intros u. symmetry. apply weights_hidden. assumption. }
    exact (derivable_pt_lim_const 0 t).
Qed.

(* The output *)

Definition attention_tangent (S dS V dV : matrix) (keep : mask) (m : nat) : matrix :=
  matmul_tangent (weights S keep m) V
                 (softmax_jacobian_times (weights S keep m) dS m) dV m.

Lemma attention_moves : forall S S0 dS V V0 dV keep t n m d_v,
  moves S t S0 dS n m -> moves V t V0 dV m d_v ->
  moves (fun u => attention (S u) keep (V u) m) t (attention S0 keep V0 m)
        (attention_tangent S0 dS V0 dV keep m) n d_v.
Proof.
  intros S S0 dS V V0 dV keep t n m d_v HS HV.
  exact (matmul_moves _ _ _ _ _ _ t n m d_v (weights_moves S S0 dS keep t n m HS) HV).
Qed.

Definition scaled_dot_product_attention_tangent
    (Q K V dQ dK dV : matrix) (d_k : nat) (keep : mask) (m : nat) : matrix :=
  attention_tangent (scores Q K d_k) (scores_tangent Q K dQ dK d_k) V dV keep m.

Lemma scaled_dot_product_attention_moves :
  forall Q K V Q0 K0 V0 dQ dK dV d_k d_v keep t n m,
  moves Q t Q0 dQ n d_k -> moves K t K0 dK m d_k -> moves V t V0 dV m d_v ->
  moves (fun u => scaled_dot_product_attention (Q u) (K u) (V u) d_k keep m) t
        (scaled_dot_product_attention Q0 K0 V0 d_k keep m)
        (scaled_dot_product_attention_tangent Q0 K0 V0 dQ dK dV d_k keep m) n d_v.
Proof.
  intros Q K V Q0 K0 V0 dQ dK dV d_k d_v keep t n m HQ HK HV.
  exact (attention_moves _ _ _ V V0 dV keep t n m d_v
           (scores_moves Q K Q0 K0 dQ dK t n m d_k HQ HK) HV).
Qed.

(* The pairing of a gradient with a velocity *)

Definition inner (G X : matrix) (rows cols : nat) : R :=
  sum (fun i => sum (fun c => G i c * X i c) cols) rows.

Lemma inner_moves : forall G X X0 dX t rows cols,
  moves X t X0 dX rows cols ->
  derivable_pt_lim (fun u => inner G (X u) rows cols) t (inner G dX rows cols).
Proof.
  intros G X X0 dX t rows cols H. unfold inner.
  apply (derivative_sum (fun u i => sum (fun c => G i c * X u i c) cols)). intros i Hi.
  apply (derivative_sum (fun u c => G i c * X u i c)). intros c Hc.
  exact (derivable_pt_lim_scal (fun u => X u i c) (G i c) t (dX i c) (proj2 (H i c Hi Hc))).
Qed.

Lemma inner_ext : forall G G' X X' rows cols,
  (forall i c, (i < rows)%nat -> (c < cols)%nat -> G i c = G' i c) ->
  (forall i c, (i < rows)%nat -> (c < cols)%nat -> X i c = X' i c) ->
  inner G X rows cols = inner G' X' rows cols.
Proof.
  intros G G' X X' rows cols HG HX. apply sum_ext; intros i Hi.
  apply sum_ext; intros c Hc. rewrite HG, HX; auto.
Qed.

Lemma inner_plus : forall G X Y rows cols,
  inner G (fun i c => X i c + Y i c) rows cols
  = inner G X rows cols + inner G Y rows cols.
Proof.
  intros. unfold inner. rewrite <- sum_plus. apply sum_ext; intros i _.
  rewrite <- sum_plus. apply sum_ext; intros c _. ring.
Qed.

Lemma inner_scal_left : forall a G X rows cols,
  inner (fun i c => a * G i c) X rows cols = a * inner G X rows cols.
Proof.
  intros. unfold inner. rewrite <- sum_scal. apply sum_ext; intros i _.
  rewrite <- sum_scal. apply sum_ext; intros c _. ring.
Qed.

Lemma inner_scal_right : forall a G X rows cols,
  inner G (fun i c => a * X i c) rows cols = a * inner G X rows cols.
Proof.
  intros. unfold inner. rewrite <- sum_scal. apply sum_ext; intros i _.
  rewrite <- sum_scal. apply sum_ext; intros c _. ring.
Qed.

Lemma inner_transposed : forall G X rows cols,
  inner G X rows cols = inner (fun c i => G i c) (fun c i => X i c) cols rows.
Proof. intros. unfold inner. apply sum_swap. Qed.

Lemma inner_zero : forall G rows cols, inner G zero_matrix rows cols = 0.
Proof.
  intros. apply sum_zero; intros i _. apply sum_zero; intros c _.
  unfold zero_matrix. ring.
Qed.

(* One entry of a gradient: pair it with the velocity of that entry alone. *)
Lemma inner_unit_entry : forall G r c rows cols,
  (r < rows)%nat -> (c < cols)%nat -> inner G (unit_entry r c) rows cols = G r c.
Proof.
  intros G r c rows cols Hr Hc. unfold inner, unit_entry.
  rewrite (sum_single _ rows r Hr).
  - rewrite (sum_single _ cols c Hc).
    + rewrite !Nat.eqb_refl. simpl. ring.
    + intros j _ D. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec c j); [congruence|].
      simpl. ring.
  - intros i _ D. apply sum_zero. intros j _.
    destruct (Nat.eqb_spec r i); [congruence|]. simpl. ring.
Qed.

(* Backwards through a product: G times B transposed, A transposed times G. *)

Definition left_gradient (G B : matrix) (cols : nat) : matrix :=
  fun i j => sum (fun c => G i c * B j c) cols.

Definition right_gradient (A G : matrix) (rows : nat) : matrix :=
  fun j c => sum (fun i => A i j * G i c) rows.

Lemma matmul_pullback_left : forall G A B rows inside cols,
  inner G (matmul A B inside) rows cols
  = inner (left_gradient G B cols) A rows inside.
Proof.
  intros. apply sum_ext; intros i _. unfold matmul, left_gradient.
  rewrite (sum_ext _ (fun c => sum (fun j => G i c * (A i j * B j c)) inside)).
  2:{ intros c _. symmetry. apply sum_scal. }
  rewrite sum_swap. apply sum_ext; intros j _.
  rewrite <- sum_scal_r. apply sum_ext; intros c _. ring.
Qed.

Lemma matmul_pullback_right : forall G A B rows inside cols,
  inner G (matmul A B inside) rows cols
  = inner (right_gradient A G rows) B inside cols.
Proof.
  intros G A B rows inside cols.
  (* the same on the other side: transpose everything *)
  rewrite inner_transposed, (inner_transposed _ B).
  pose proof (matmul_pullback_left (fun c i => G i c) (fun c j => B j c)
                (fun j i => A i j) cols inside rows) as L.
  unfold matmul, left_gradient in L. unfold matmul, right_gradient.
  transitivity (inner (fun c i => G i c)
                  (fun c i => sum (fun j => B j c * A i j) inside) cols rows).
  - apply inner_ext; intros; [reflexivity|]. apply sum_ext; intros; ring.
  - rewrite L. apply inner_ext; intros; [|reflexivity]. apply sum_ext; intros; ring.
Qed.

Lemma matmul_pullback : forall G A B dA dB rows inside cols,
  inner G (matmul_tangent A B dA dB inside) rows cols
  = inner (left_gradient G B cols) dA rows inside
    + inner (right_gradient A G rows) dB inside cols.
Proof.
  intros. rewrite <- matmul_pullback_left, <- matmul_pullback_right, <- inner_plus.
  apply inner_ext; intros; [reflexivity|]. unfold matmul_tangent, matmul. apply sum_plus.
Qed.

(* Backwards through X W + b: the bias gets the sum of each column. *)

Definition bias_gradient (G : matrix) (rows : nat) : nat -> R :=
  fun c => sum (fun i => G i c) rows.

Lemma project_pullback : forall G X W dX dW db rows width cols,
  inner G (project_tangent X W dX dW db width) rows cols
  = inner (left_gradient G W cols) dX rows width
    + inner (right_gradient X G rows) dW width cols
    + sum (fun c => bias_gradient G rows c * db c) cols.
Proof.
  intros. unfold project_tangent. rewrite inner_plus, matmul_pullback. f_equal.
  unfold inner. rewrite sum_swap. apply sum_ext; intros c _.
  unfold bias_gradient. rewrite <- sum_scal_r. reflexivity.
Qed.

(* Backwards through the softmax: its Jacobian is symmetric. *)
Lemma softmax_pullback : forall G P X rows m,
  inner G (softmax_jacobian_times P X m) rows m
  = inner (softmax_jacobian_times P G m) X rows m.
Proof.
  intros. apply sum_ext; intros i _. unfold softmax_jacobian_times.
  set (x := sum (fun k => P i k * X i k) m). set (g := sum (fun k => P i k * G i k) m).
  (* both sides are the sum of P G X minus g x *)
  rewrite (sum_ext _ (fun c => P i c * G i c * X i c - P i c * G i c * x))
    by (intros; ring).
  rewrite (sum_ext (fun c => P i c * (G i c - g) * X i c)
                   (fun c => P i c * G i c * X i c - g * (P i c * X i c)))
    by (intros; ring).
  rewrite !sum_minus, sum_scal, sum_scal_r. reflexivity.
Qed.

(* Backwards through the scores. *)

Definition queries_gradient (dS K : matrix) (d_k m : nat) : matrix :=
  fun i c => sum (fun j => dS i j * K j c) m / sqrt (INR d_k).

Definition keys_gradient (dS Q : matrix) (d_k n : nat) : matrix :=
  fun j c => sum (fun i => dS i j * Q i c) n / sqrt (INR d_k).

Lemma scores_pullback : forall G Q K dQ dK n m d_k,
  inner G (scores_tangent Q K dQ dK d_k) n m
  = inner (queries_gradient G K d_k m) dQ n d_k
    + inner (keys_gradient G Q d_k n) dK m d_k.
Proof.
  intros G Q K dQ dK n m d_k. set (a := / sqrt (INR d_k)).
  (* the scores are the product of Q and K transposed, times a constant *)
  pose proof (matmul_pullback G Q (fun c j => K j c) dQ (fun c j => dK j c) n d_k m) as M.
  transitivity (a * inner G (matmul_tangent Q (fun c j => K j c)
                                            dQ (fun c j => dK j c) d_k) n m).
  - rewrite <- inner_scal_right. apply inner_ext; intros; [reflexivity|].
    unfold scores_tangent, matmul_tangent, a, Rdiv. ring.
  - rewrite M, Rmult_plus_distr_l, <- !inner_scal_left. f_equal.
    + apply inner_ext; intros; [|reflexivity].
      unfold queries_gradient, left_gradient, a, Rdiv. ring.
    + rewrite inner_transposed. apply inner_ext; intros; [|reflexivity].
      unfold keys_gradient, right_gradient, Rdiv. fold a. rewrite Rmult_comm. f_equal.
      apply sum_ext; intros; ring.
Qed.

(* Backwards through weights times values. *)

Definition weights_gradient (G V : matrix) (d_v : nat) : matrix :=
  fun i j => sum (fun c => G i c * V j c) d_v.

Definition values_gradient (P G : matrix) (n : nat) : matrix :=
  fun j c => sum (fun i => P i j * G i c) n.

Lemma attention_pullback : forall G S dS V dV keep n m d_v,
  inner G (attention_tangent S dS V dV keep m) n d_v
  = inner (softmax_jacobian_times (weights S keep m) (weights_gradient G V d_v) m) dS n m
    + inner (values_gradient (weights S keep m) G n) dV m d_v.
Proof.
  intros. unfold attention_tangent. rewrite matmul_pullback, softmax_pullback.
  reflexivity.
Qed.

Lemma scaled_dot_product_attention_pullback :
  forall G Q K V dQ dK dV d_k d_v keep n m,
  let P := weights (scores Q K d_k) keep m in
  let dP := weights_gradient G V d_v in
  let dS := softmax_jacobian_times P dP m in
  inner G (scaled_dot_product_attention_tangent Q K V dQ dK dV d_k keep m) n d_v
  = inner (queries_gradient dS K d_k m) dQ n d_k
    + inner (keys_gradient dS Q d_k n) dK m d_k
    + inner (values_gradient P G n) dV m d_v.
Proof.
  intros. unfold scaled_dot_product_attention_tangent.
  rewrite attention_pullback, scores_pullback. reflexivity.
Qed.

(* The derivative of the loss, the sum over i, c of G i c * output i c, while
   queries, keys and values all move. *)
Theorem attention_backward_pass_along_a_curve :
  forall G Q K V Q0 K0 V0 dQ dK dV d_k d_v keep t n m,
  let P := weights (scores Q0 K0 d_k) keep m in
  let dP := weights_gradient G V0 d_v in
  let dS := softmax_jacobian_times P dP m in
  moves Q t Q0 dQ n d_k -> moves K t K0 dK m d_k -> moves V t V0 dV m d_v ->
  derivable_pt_lim
    (fun u => inner G (scaled_dot_product_attention (Q u) (K u) (V u) d_k keep m) n d_v) t
    (inner (queries_gradient dS K0 d_k m) dQ n d_k
     + inner (keys_gradient dS Q0 d_k n) dK m d_k
     + inner (values_gradient P G n) dV m d_v).
Proof.
  intros G Q K V Q0 K0 V0 dQ dK dV d_k d_v keep t n m P dP dS HQ HK HV.
  unfold dS, dP, P. rewrite <- scaled_dot_product_attention_pullback.
  apply (inner_moves _ _ (scaled_dot_product_attention Q0 K0 V0 d_k keep m)).
  apply scaled_dot_product_attention_moves; assumption.
Qed.

Print Assumptions attention_backward_pass_along_a_curve.
