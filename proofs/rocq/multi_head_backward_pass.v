(* The backward pass of a multi-head layer.

   Let the loss be the sum over r and c of G r c * Out r c, where Out is the
   output of the layer and G the gradient that arrives at it. Of query head i,
   which reads key/value head i / group, let Q i, K (i / group), V (i / group)
   be its queries, keys and values and A i its weights. Then

     dZ i  = G (block i of W_O)^T             at the output of head i
     dA i  = dZ i V^T                         at its weights
     dS i  = A i * (dA i - row sums of A i * dA i)    at its scores
     dQ i  = dS i K / sqrt d_k                at its queries
     dK g  = sum over the query heads i of group g of dS i^T Q i / sqrt d_k
     dV g  = sum over the query heads i of group g of A i^T dZ i

   and the derivatives of the loss towards single entries are the entries of

     X:    sum over i of dQ i (W_Q i)^T
     Y:    sum over g of dK g (W_K g)^T + dV g (W_V g)^T
     W_Q i:  X^T dQ i       W_K g:  Y^T dK g       W_V g:  Y^T dV g
     W_O:    (concatenated heads)^T G
     b_Q i, b_K g, b_V g, b_O:  column sums of dQ i, dK g, dV g, G.

   Each entry is varied alone, and the loss as a function of it has that
   derivative at the entry's value. For one head these are the formulas of
   attention_backward_pass between two projections; heads meet only where they
   share something: X, Y, or a key/value head.

   Main results:
     multi_head_backward_pass         X, Y and all the parameters, for grouped
                                      heads of any group, and for every mask
     self_attention_backward_pass     with Y = X the two gradients add up

   Hypotheses: the entry is inside its matrix, because an entry outside is never
   read. Full heads are the case group = 1. No row of the mask needs a kept key. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention Derivatives Heads HeadDerivatives.
Open Scope R_scope.

(* The parameters P with one of the eight replaced *)

Definition set_W_Q (P : parameters) (new : nat -> matrix) : parameters := {|
  W_Q := new; b_Q := b_Q P; W_K := W_K P; b_K := b_K P;
  W_V := W_V P; b_V := b_V P; W_O := W_O P; b_O := b_O P |}.
Definition set_b_Q (P : parameters) (new : matrix) : parameters := {|
  W_Q := W_Q P; b_Q := new; W_K := W_K P; b_K := b_K P;
  W_V := W_V P; b_V := b_V P; W_O := W_O P; b_O := b_O P |}.
Definition set_W_K (P : parameters) (new : nat -> matrix) : parameters := {|
  W_Q := W_Q P; b_Q := b_Q P; W_K := new; b_K := b_K P;
  W_V := W_V P; b_V := b_V P; W_O := W_O P; b_O := b_O P |}.
Definition set_b_K (P : parameters) (new : matrix) : parameters := {|
  W_Q := W_Q P; b_Q := b_Q P; W_K := W_K P; b_K := new;
  W_V := W_V P; b_V := b_V P; W_O := W_O P; b_O := b_O P |}.
Definition set_W_V (P : parameters) (new : nat -> matrix) : parameters := {|
  W_Q := W_Q P; b_Q := b_Q P; W_K := W_K P; b_K := b_K P;
  W_V := new; b_V := b_V P; W_O := W_O P; b_O := b_O P |}.
Definition set_b_V (P : parameters) (new : matrix) : parameters := {|
  W_Q := W_Q P; b_Q := b_Q P; W_K := W_K P; b_K := b_K P;
  W_V := W_V P; b_V := new; W_O := W_O P; b_O := b_O P |}.
Definition set_W_O (P : parameters) (new : matrix) : parameters := {|
  W_Q := W_Q P; b_Q := b_Q P; W_K := W_K P; b_K := b_K P;
  W_V := W_V P; b_V := b_V P; W_O := new; b_O := b_O P |}.
Definition set_b_O (P : parameters) (new : nat -> R) : parameters := {|
  W_Q := W_Q P; b_Q := b_Q P; W_K := W_K P; b_K := b_K P;
  W_V := W_V P; b_V := b_V P; W_O := W_O P; b_O := new |}.

(* When one parameter moves, the seven others stand still. *)
Local Ltac one_moves lemma :=
  split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]];
  try first [ apply lemma | apply family_still | apply moves_still
        | intros; split; [reflexivity|exact (derivable_pt_lim_const _ _)] ].

(* And the pairing of a gradient with it is the pairing with the one. *)
Local Ltac one_pairs lemma :=
  unfold parameters_inner;
  cbn [W_Q b_Q W_K b_K W_V b_V W_O b_O zero_parameters
       set_W_Q set_b_Q set_W_K set_b_K set_W_V set_b_V set_W_O set_b_O];
  rewrite lemma by assumption;
  rewrite ?family_inner_zero, ?inner_zero;
  rewrite ?(sum_zero (fun c => b_O _ c * 0)) by (intros; ring); ring.

Lemma parameters_inner_zero : forall g d_model d_memory h kv_heads d_k d_v,
  parameters_inner g zero_parameters d_model d_memory h kv_heads d_k d_v = 0.
Proof. intros. one_pairs (inner_zero (W_O g)). Qed.

Lemma sum_unit_entry : forall f c n, (c < n)%nat ->
  sum (fun k => f k * (if (c =? k)%nat then 1 else 0)) n = f c.
Proof.
  intros f c n Hc. rewrite (sum_single _ n c Hc); [rewrite Nat.eqb_refl; ring|].
  intros k _ D. destruct (Nat.eqb_spec c k); [congruence|ring].
Qed.

Theorem multi_head_backward_pass :
  forall P X Y G keep d_model d_memory kv_heads group d_k d_v n m,
  let h := (kv_heads * group)%nat in
  let L := fun P X Y =>
    sum (fun r => sum (fun c =>
      G r c * multi_head_attention (scaled_scores d_k) P X Y keep
                d_model d_memory h group d_v m r c) d_model) n in
  let Q := queries P X d_model in
  let K := keys P Y d_memory in
  let V := values P Y d_memory in
  let A := fun i => weights (scores (Q i) (K (i / group)%nat) d_k) keep m in
  let Z := concatenate (fun i => attention (scores (Q i) (K (i / group)%nat) d_k) keep
                                           (V (i / group)%nat) m) d_v in
  let dZ := fun i r e => sum (fun c => G r c * W_O P (i * d_v + e)%nat c) d_model in
  let dA := fun i r j => sum (fun e => dZ i r e * V (i / group)%nat j e) d_v in
  let dS := fun i r j => A i r j * (dA i r j - sum (fun k => A i r k * dA i r k) m) in
  let dQ := fun i r a =>
    sum (fun j => dS i r j * K (i / group)%nat j a) m / sqrt (INR d_k) in
  let dK := fun g j a => sum (fun u => let i := (g * group + u)%nat in
    sum (fun r => dS i r j * Q i r a) n / sqrt (INR d_k)) group in
  let dV := fun g j e => sum (fun u => let i := (g * group + u)%nat in
    sum (fun r => A i r j * dZ i r e) n) group in
  let dX := fun r x => sum (fun i => sum (fun a => dQ i r a * W_Q P i x a) d_k) h in
  let dY := fun j y => sum (fun g => sum (fun a => dK g j a * W_K P g y a) d_k
                                   + sum (fun e => dV g j e * W_V P g y e) d_v) kv_heads in
  (forall r x, (r < n)%nat -> (x < d_model)%nat ->
     derivable_pt_lim (fun t => L P (with_entry X r x t) Y) (X r x) (dX r x)) /\
  (forall j y, (j < m)%nat -> (y < d_memory)%nat ->
     derivable_pt_lim (fun t => L P X (with_entry Y j y t)) (Y j y) (dY j y)) /\
  (forall i x a, (i < h)%nat -> (x < d_model)%nat -> (a < d_k)%nat ->
     derivable_pt_lim (fun t => L (set_W_Q P (with_family_entry (W_Q P) i x a t)) X Y)
       (W_Q P i x a) (sum (fun r => X r x * dQ i r a) n)) /\
  (forall g y a, (g < kv_heads)%nat -> (y < d_memory)%nat -> (a < d_k)%nat ->
     derivable_pt_lim (fun t => L (set_W_K P (with_family_entry (W_K P) g y a t)) X Y)
       (W_K P g y a) (sum (fun j => Y j y * dK g j a) m)) /\
  (forall g y e, (g < kv_heads)%nat -> (y < d_memory)%nat -> (e < d_v)%nat ->
     derivable_pt_lim (fun t => L (set_W_V P (with_family_entry (W_V P) g y e t)) X Y)
       (W_V P g y e) (sum (fun j => Y j y * dV g j e) m)) /\
  (forall k c, (k < h * d_v)%nat -> (c < d_model)%nat ->
     derivable_pt_lim (fun t => L (set_W_O P (with_entry (W_O P) k c t)) X Y)
       (W_O P k c) (sum (fun r => Z r k * G r c) n)) /\
  (forall i a, (i < h)%nat -> (a < d_k)%nat ->
     derivable_pt_lim (fun t => L (set_b_Q P (with_entry (b_Q P) i a t)) X Y)
       (b_Q P i a) (sum (fun r => dQ i r a) n)) /\
  (forall g a, (g < kv_heads)%nat -> (a < d_k)%nat ->
     derivable_pt_lim (fun t => L (set_b_K P (with_entry (b_K P) g a t)) X Y)
       (b_K P g a) (sum (fun j => dK g j a) m)) /\
  (forall g e, (g < kv_heads)%nat -> (e < d_v)%nat ->
     derivable_pt_lim (fun t => L (set_b_V P (with_entry (b_V P) g e t)) X Y)
       (b_V P g e) (sum (fun j => dV g j e) m)) /\
  (forall c, (c < d_model)%nat ->
     derivable_pt_lim (fun t => L (set_b_O P (fun k => if (c =? k)%nat then t else b_O P k)) X Y)
       (b_O P c) (sum (fun r => G r c) n)).
Proof.
  intros P X Y G keep d_model d_memory kv_heads group d_k d_v n m
    h L Q K V A Z dZ dA dS dQ dK dV dX dY.
  (* any curve of parameters, with X and Y still *)
  set (g := parameters_gradient d_model d_memory group d_k d_v n m keep G P X Y).
  assert (C : forall P' dP t l,
    parameters_move P' t P dP d_model d_memory h kv_heads d_k d_v ->
    parameters_inner g dP d_model d_memory h kv_heads d_k d_v = l ->
    derivable_pt_lim (fun u => L (P' u) X Y) t l).
  { intros P' dP t l M <-.
    pose proof (multi_head_backward_pass_along_a_curve d_model d_memory kv_heads group
      d_k d_v n m keep G P' (fun _ => X) (fun _ => Y) P X Y dP zero_matrix zero_matrix t
      M (moves_still X t n d_model) (moves_still Y t m d_memory)) as D.
    rewrite !inner_zero, !Rplus_0_l in D. exact D. }
  (* the parameters still, with X or Y moving *)
  assert (N : forall t, parameters_move (fun _ => P) t P zero_parameters
                d_model d_memory h kv_heads d_k d_v)
    by (intros t; one_moves (moves_still (W_O P))).
  repeat match goal with |- _ /\ _ => split end.
  - intros r x Hr Hx.
    pose proof (multi_head_backward_pass_along_a_curve d_model d_memory kv_heads group
      d_k d_v n m keep G (fun _ => P) (fun t => with_entry X r x t) (fun _ => Y) P X Y
      zero_parameters (unit_entry r x) zero_matrix (X r x)
      (N _) (with_entry_moves X r x n d_model) (moves_still Y _ m d_memory)) as D.
    rewrite parameters_inner_zero, inner_zero, inner_unit_entry, !Rplus_0_r in D by assumption.
    exact D.
  - intros j y Hj Hy.
    pose proof (multi_head_backward_pass_along_a_curve d_model d_memory kv_heads group
      d_k d_v n m keep G (fun _ => P) (fun _ => X) (fun t => with_entry Y j y t) P X Y
      zero_parameters zero_matrix (unit_entry j y) (Y j y)
      (N _) (moves_still X _ n d_model) (with_entry_moves Y j y m d_memory)) as D.
    rewrite parameters_inner_zero, inner_zero, inner_unit_entry, Rplus_0_r, Rplus_0_l
      in D by assumption. exact D.
  - intros i x a Hi Hx Ha. exact (C (fun t => set_W_Q P (with_family_entry (W_Q P) i x a t))
      (set_W_Q zero_parameters (unit_family i x a)) (W_Q P i x a) (W_Q g i x a)
      ltac:(one_moves with_family_entry_moves) ltac:(one_pairs family_inner_unit)).
  - intros b y a Hb Hy Ha. exact (C (fun t => set_W_K P (with_family_entry (W_K P) b y a t))
      (set_W_K zero_parameters (unit_family b y a)) (W_K P b y a) (W_K g b y a)
      ltac:(one_moves with_family_entry_moves) ltac:(one_pairs family_inner_unit)).
  - intros b y e Hb Hy He. exact (C (fun t => set_W_V P (with_family_entry (W_V P) b y e t))
      (set_W_V zero_parameters (unit_family b y e)) (W_V P b y e) (W_V g b y e)
      ltac:(one_moves with_family_entry_moves) ltac:(one_pairs family_inner_unit)).
  - intros k c Hk Hc. exact (C (fun t => set_W_O P (with_entry (W_O P) k c t))
      (set_W_O zero_parameters (unit_entry k c)) (W_O P k c) (W_O g k c)
      ltac:(one_moves with_entry_moves) ltac:(one_pairs inner_unit_entry)).
  - intros i a Hi Ha. exact (C (fun t => set_b_Q P (with_entry (b_Q P) i a t))
      (set_b_Q zero_parameters (unit_entry i a)) (b_Q P i a) (b_Q g i a)
      ltac:(one_moves with_entry_moves) ltac:(one_pairs inner_unit_entry)).
  - intros b a Hb Ha. exact (C (fun t => set_b_K P (with_entry (b_K P) b a t))
      (set_b_K zero_parameters (unit_entry b a)) (b_K P b a) (b_K g b a)
      ltac:(one_moves with_entry_moves) ltac:(one_pairs inner_unit_entry)).
  - intros b e Hb He. exact (C (fun t => set_b_V P (with_entry (b_V P) b e t))
      (set_b_V zero_parameters (unit_entry b e)) (b_V P b e) (b_V g b e)
      ltac:(one_moves with_entry_moves) ltac:(one_pairs inner_unit_entry)).
  - intros c Hc. apply (C (fun t => set_b_O P (fun k => if (c =? k)%nat then t else b_O P k))
      (set_b_O zero_parameters (fun k => if (c =? k)%nat then 1 else 0)) (b_O P c) (b_O g c)).
    + one_moves family_still. unfold set_b_O; simpl. intros k _.
      destruct (Nat.eqb_spec c k) as [->|D]; (split; [reflexivity|]).
      * exact (derivable_pt_lim_id (b_O P k)).
      * exact (derivable_pt_lim_const (b_O P k) (b_O P c)).
    + one_pairs (sum_unit_entry (b_O g)).
Qed.

Theorem self_attention_backward_pass :
  forall P X G keep d_model kv_heads group d_k d_v n r x,
  (r < n)%nat -> (x < d_model)%nat ->
  let layer := fun X Y =>
    multi_head_attention (scaled_scores d_k) P X Y keep
      d_model d_model (kv_heads * group) group d_v n in
  let L := fun X Y => sum (fun r => sum (fun c => G r c * layer X Y r c) d_model) n in
  exists as_queries as_memory,
  derivable_pt_lim (fun t => L (with_entry X r x t) X) (X r x) as_queries /\
  derivable_pt_lim (fun t => L X (with_entry X r x t)) (X r x) as_memory /\
  derivable_pt_lim (fun t => L (with_entry X r x t) (with_entry X r x t)) (X r x)
    (as_queries + as_memory).
Proof.
  intros P X G keep d_model kv_heads group d_k d_v n r x Hr Hx layer L.
  exists (inputs_gradient d_model d_model kv_heads group d_k d_v n keep G P X X r x),
         (memory_gradient d_model d_model kv_heads group d_k d_v n n keep G P X X r x).
  destruct (multi_head_backward_pass P X X G keep d_model d_model kv_heads group d_k d_v n n)
    as (DX & DY & _).
  split; [exact (DX r x Hr Hx)|]. split; [exact (DY r x Hr Hx)|].
  pose proof (with_entry_moves X r x n d_model) as M.
  pose proof (multi_head_backward_pass_along_a_curve d_model d_model kv_heads group
    d_k d_v n n keep G (fun _ => P) (fun t => with_entry X r x t) (fun t => with_entry X r x t)
    P X X zero_parameters (unit_entry r x) (unit_entry r x) (X r x)
    ltac:(one_moves (moves_still (W_O P))) M M) as D.
  rewrite !inner_unit_entry in D by assumption.
  rewrite <- (Rplus_0_r (_ + _)).
  rewrite <- (parameters_inner_zero
    (parameters_gradient d_model d_model group d_k d_v n n keep G P X X)
    d_model d_model (kv_heads * group) kv_heads d_k d_v).
  exact D.
Qed.

Print Assumptions multi_head_backward_pass.
Print Assumptions self_attention_backward_pass.
