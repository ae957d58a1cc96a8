(* Derivatives of a multi-head layer along curves, and the way back.

   This chains what Derivatives.v says of one attention and of one projection
   over all heads. All the parameters, X and Y may move at once; a record of
   parameters also serves for their velocities and for their gradients.

   Forwards:
     parameters_move            every matrix and bias of a layer moves
     concatenate_moves          the concatenated outputs of moving heads
     multi_head_attention_moves the output of a layer; its velocity is
                                multi_head_attention_tangent

   Backwards:
     concatenate_pullback       a gradient is cut in the columns of the heads
     shared_pullback            query heads that read one key/value head add up
                                their gradients there
     output_gradient, query_gradient, key_gradient, value_gradient
                                the gradients inside the layer
     inputs_gradient, memory_gradient, parameters_gradient
                                the gradients of the layer
     multi_head_attention_pullback      the layer, backwards
     multi_head_backward_pass_along_a_curve
                                the derivative of a loss while anything moves

   Nothing is assumed of the sizes, and rows of the mask may be empty. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention Derivatives Heads.
Open Scope R_scope.

(* Families of matrices, one for each head *)

Definition family_moves (W : R -> nat -> matrix) (t : R) (W0 dW : nat -> matrix)
    (heads rows cols : nat) : Prop :=
  forall i, (i < heads)%nat -> moves (fun u => W u i) t (W0 i) (dW i) rows cols.

Definition family_inner (G X : nat -> matrix) (heads rows cols : nat) : R :=
  sum (fun i => inner (G i) (X i) rows cols) heads.

Definition zero_family : nat -> matrix := fun _ => zero_matrix.

Definition unit_family (i r c : nat) : nat -> matrix :=
  fun k => if (i =? k)%nat then unit_entry r c else zero_matrix.

(* The family W with one entry of matrix i replaced by t. *)
Definition with_family_entry (W : nat -> matrix) (i r c : nat) (t : R) : nat -> matrix :=
  fun k => if (i =? k)%nat then with_entry (W k) r c t else W k.

Lemma family_still : forall W t heads rows cols,
  family_moves (fun _ => W) t W zero_family heads rows cols.
Proof. intros W t heads rows cols i _. apply moves_still. Qed.

Lemma with_family_entry_moves : forall W i r c heads rows cols,
  family_moves (with_family_entry W i r c) (W i r c) W (unit_family i r c) heads rows cols.
Proof.
  intros W i r c heads rows cols k Hk. unfold with_family_entry, unit_family.
  destruct (Nat.eqb_spec i k) as [->|D]; [apply with_entry_moves|apply moves_still].
Qed.

Lemma family_inner_zero : forall G heads rows cols,
  family_inner G zero_family heads rows cols = 0.
Proof. intros. apply sum_zero; intros i _. apply inner_zero. Qed.

Lemma family_inner_unit : forall G i r c heads rows cols,
  (i < heads)%nat -> (r < rows)%nat -> (c < cols)%nat ->
  family_inner G (unit_family i r c) heads rows cols = G i r c.
Proof.
  intros G i r c heads rows cols Hi Hr Hc. unfold family_inner, unit_family.
  rewrite (sum_single _ heads i Hi).
  - rewrite Nat.eqb_refl. apply inner_unit_entry; assumption.
  - intros k _ D. destruct (Nat.eqb_spec i k); [congruence|]. apply inner_zero.
Qed.

(* Sums of gradients at one place *)
Lemma inner_sum_left : forall (G : nat -> matrix) X rows cols k,
  sum (fun i => inner (G i) X rows cols) k
  = inner (fun r c => sum (fun i => G i r c) k) X rows cols.
Proof.
  intros. unfold inner. rewrite sum_swap. apply sum_ext; intros r _.
  rewrite sum_swap. apply sum_ext; intros c _. apply sum_scal_r.
Qed.

Lemma inner_plus_left : forall G H X rows cols,
  inner G X rows cols + inner H X rows cols
  = inner (fun r c => G r c + H r c) X rows cols.
Proof.
  intros. unfold inner. rewrite <- sum_plus. apply sum_ext; intros r _.
  rewrite <- sum_plus. apply sum_ext; intros c _. ring.
Qed.

(* Query heads that read the same key/value head *)
Lemma shared_pullback : forall (G X : nat -> matrix) kv_heads group rows cols,
  sum (fun i => inner (G i) (X (i / group)%nat) rows cols) (kv_heads * group)
  = family_inner (fun g r c => sum (fun u => G (g * group + u)%nat r c) group) X
                 kv_heads rows cols.
Proof.
  intros. rewrite sum_grid. apply sum_ext; intros g _.
  rewrite <- inner_sum_left. apply sum_ext; intros u Hu.
  rewrite head_index_quotient by assumption. reflexivity.
Qed.

(* Concatenation *)

Lemma concatenate_moves : forall Z Z0 dZ t n h d_v,
  family_moves Z t Z0 dZ h n d_v ->
  moves (fun u => concatenate (Z u) d_v) t (concatenate Z0 d_v) (concatenate dZ d_v)
        n (h * d_v).
Proof.
  intros Z Z0 dZ t n h d_v H r column Hr Hc.
  destruct (head_index_split _ _ _ Hc) as (Hi & He & _).
  exact (H _ Hi r _ Hr He).
Qed.

Lemma concatenate_pullback : forall G Z n h d_v,
  inner G (concatenate Z d_v) n (h * d_v)
  = family_inner (fun i r e => G r (i * d_v + e)%nat) Z h n d_v.
Proof.
  intros. unfold family_inner, inner at 2. rewrite sum_swap.
  apply sum_ext; intros r _. rewrite sum_grid.
  apply sum_ext; intros i _. apply sum_ext; intros e He.
  rewrite concatenate_at by assumption. reflexivity.
Qed.

(* Parameters *)

Definition parameters_move (P : R -> parameters) (t : R) (P0 dP : parameters)
    (d_model d_memory h kv_heads d_k d_v : nat) : Prop :=
  family_moves (fun u => W_Q (P u)) t (W_Q P0) (W_Q dP) h d_model d_k /\
  moves (fun u => b_Q (P u)) t (b_Q P0) (b_Q dP) h d_k /\
  family_moves (fun u => W_K (P u)) t (W_K P0) (W_K dP) kv_heads d_memory d_k /\
  moves (fun u => b_K (P u)) t (b_K P0) (b_K dP) kv_heads d_k /\
  family_moves (fun u => W_V (P u)) t (W_V P0) (W_V dP) kv_heads d_memory d_v /\
  moves (fun u => b_V (P u)) t (b_V P0) (b_V dP) kv_heads d_v /\
  moves (fun u => W_O (P u)) t (W_O P0) (W_O dP) (h * d_v) d_model /\
  (forall c, (c < d_model)%nat ->
     b_O (P t) c = b_O P0 c /\ derivable_pt_lim (fun u => b_O (P u) c) t (b_O dP c)).

Definition zero_parameters : parameters := {|
  W_Q := zero_family;  b_Q := zero_matrix;
  W_K := zero_family;  b_K := zero_matrix;
  W_V := zero_family;  b_V := zero_matrix;
  W_O := zero_matrix;  b_O := fun _ => 0
|}.

Definition parameters_inner (g dP : parameters)
    (d_model d_memory h kv_heads d_k d_v : nat) : R :=
  family_inner (W_Q g) (W_Q dP) h d_model d_k + inner (b_Q g) (b_Q dP) h d_k
  + family_inner (W_K g) (W_K dP) kv_heads d_memory d_k + inner (b_K g) (b_K dP) kv_heads d_k
  + family_inner (W_V g) (W_V dP) kv_heads d_memory d_v + inner (b_V g) (b_V dP) kv_heads d_v
  + inner (W_O g) (W_O dP) (h * d_v) d_model + sum (fun c => b_O g c * b_O dP c) d_model.

(* Forwards *)

Section Layer.

Variables (d_model d_memory kv_heads group d_k d_v n m : nat) (keep : mask).
Notation h := (kv_heads * group)%nat.

Notation layer P X Y :=
  (multi_head_attention (scaled_scores d_k) P X Y keep d_model d_memory h group d_v m).
Notation heads P X Y :=
  (head (scaled_scores d_k) P X Y keep d_model d_memory group m).

Definition head_tangent (P dP : parameters) (X Y dX dY : matrix) (i : nat) : matrix :=
  let g := (i / group)%nat in
  scaled_dot_product_attention_tangent
    (queries P X d_model i) (keys P Y d_memory g) (values P Y d_memory g)
    (project_tangent X (W_Q P i) dX (W_Q dP i) (b_Q dP i) d_model)
    (project_tangent Y (W_K P g) dY (W_K dP g) (b_K dP g) d_memory)
    (project_tangent Y (W_V P g) dY (W_V dP g) (b_V dP g) d_memory)
    d_k keep m.

Definition multi_head_attention_tangent
    (P dP : parameters) (X Y dX dY : matrix) : matrix :=
  project_tangent
    (concatenate (heads P X Y) d_v) (W_O P)
    (concatenate (head_tangent P dP X Y dX dY) d_v) (W_O dP) (b_O dP) (h * d_v).

Lemma multi_head_attention_moves : forall P X Y P0 X0 Y0 dP dX dY t,
  parameters_move P t P0 dP d_model d_memory h kv_heads d_k d_v ->
  moves X t X0 dX n d_model -> moves Y t Y0 dY m d_memory ->
  moves (fun u => layer (P u) (X u) (Y u)) t (layer P0 X0 Y0)
        (multi_head_attention_tangent P0 dP X0 Y0 dX dY) n d_model.
Proof.
  intros P X Y P0 X0 Y0 dP dX dY t (HWQ & HbQ & HWK & HbK & HWV & HbV & HWO & HbO) HX HY.
  unfold multi_head_attention.
  apply project_moves; [|assumption|assumption].
  apply concatenate_moves. intros i Hi.
  assert (Hg : (i / group < kv_heads)%nat) by apply (head_index_split _ _ _ Hi).
  apply (scaled_dot_product_attention_moves
    (fun u => queries (P u) (X u) d_model i)
    (fun u => keys (P u) (Y u) d_memory (i / group))
    (fun u => values (P u) (Y u) d_memory (i / group))); apply project_moves; auto.
Qed.

(* Backwards. G is the gradient that arrives at the output of the layer. *)

Section Backwards.

Variables (G : matrix) (P : parameters) (X Y : matrix).

Notation Q i := (queries P X d_model i).
Notation K g := (keys P Y d_memory g).
Notation V g := (values P Y d_memory g).

Definition head_weights (i : nat) : matrix :=
  weights (scores (Q i) (K (i / group)%nat) d_k) keep m.

(* At the output of head i, and at its scores *)
Definition output_gradient (i : nat) : matrix :=
  left_gradient G (block (W_O P) d_v i) d_model.

Definition scores_gradient (i : nat) : matrix :=
  softmax_jacobian_times (head_weights i)
    (weights_gradient (output_gradient i) (V (i / group)%nat) d_v) m.

(* At the queries of head i, and at the keys and values of head g *)
Definition query_gradient (i : nat) : matrix :=
  queries_gradient (scores_gradient i) (K (i / group)%nat) d_k m.

Definition key_gradient (g : nat) : matrix :=
  fun j a => sum (fun u => let i := (g * group + u)%nat in
                  keys_gradient (scores_gradient i) (Q i) d_k n j a) group.

Definition value_gradient (g : nat) : matrix :=
  fun j e => sum (fun u => let i := (g * group + u)%nat in
                  values_gradient (head_weights i) (output_gradient i) n j e) group.

(* At X, at Y and at the parameters *)
Definition inputs_gradient : matrix :=
  fun r x => sum (fun i => left_gradient (query_gradient i) (W_Q P i) d_k r x) h.

Definition memory_gradient : matrix :=
  fun j y => sum (fun g => left_gradient (key_gradient g) (W_K P g) d_k j y
                         + left_gradient (value_gradient g) (W_V P g) d_v j y) kv_heads.

Definition parameters_gradient : parameters := {|
  W_Q := fun i => right_gradient X (query_gradient i) n;
  b_Q := fun i => bias_gradient (query_gradient i) n;
  W_K := fun g => right_gradient Y (key_gradient g) m;
  b_K := fun g => bias_gradient (key_gradient g) m;
  W_V := fun g => right_gradient Y (value_gradient g) m;
  b_V := fun g => bias_gradient (value_gradient g) m;
  W_O := right_gradient (concatenate (heads P X Y) d_v) G n;
  b_O := bias_gradient G n
|}.

(* A family of projections of one matrix, backwards *)
Lemma family_project_pullback :
  forall (D : nat -> matrix) M W dM dW (db : matrix) count rows width cols,
  family_inner D (fun i => project_tangent M (W i) dM (dW i) (db i) width) count rows cols
  = inner (fun r x => sum (fun i => left_gradient (D i) (W i) cols r x) count) dM rows width
    + family_inner (fun i => right_gradient M (D i) rows) dW count width cols
    + inner (fun i => bias_gradient (D i) rows) db count cols.
Proof.
  intros. rewrite <- inner_sum_left. unfold family_inner, inner at 4.
  rewrite <- !sum_plus. apply sum_ext; intros i _. apply project_pullback.
Qed.

Lemma multi_head_attention_pullback : forall dP dX dY,
  inner G (multi_head_attention_tangent P dP X Y dX dY) n d_model
  = inner inputs_gradient dX n d_model + inner memory_gradient dY m d_memory
    + parameters_inner parameters_gradient dP d_model d_memory h kv_heads d_k d_v.
Proof.
  intros dP dX dY.
  set (tQ := fun i => project_tangent X (W_Q P i) dX (W_Q dP i) (b_Q dP i) d_model).
  set (tK := fun g => project_tangent Y (W_K P g) dY (W_K dP g) (b_K dP g) d_memory).
  set (tV := fun g => project_tangent Y (W_V P g) dY (W_V dP g) (b_V dP g) d_memory).
  (* through W_O and the concatenation to the heads *)
  unfold multi_head_attention_tangent.
  rewrite project_pullback, concatenate_pullback.
  (* through each head to its queries, keys and values *)
  assert (H : family_inner (fun i r e => left_gradient G (W_O P) d_model r (i * d_v + e)%nat)
                (head_tangent P dP X Y dX dY) h n d_v
    = family_inner query_gradient tQ h n d_k
      + family_inner key_gradient tK kv_heads m d_k
      + family_inner value_gradient tV kv_heads m d_v).
  { unfold key_gradient, value_gradient.
    rewrite <- (shared_pullback (fun i => keys_gradient (scores_gradient i) (Q i) d_k n) tK).
    rewrite <- (shared_pullback
      (fun i => values_gradient (head_weights i) (output_gradient i) n) tV).
    unfold family_inner. rewrite <- !sum_plus. apply sum_ext; intros i _.
    exact (scaled_dot_product_attention_pullback (output_gradient i)
             (Q i) (K (i / group)) (V (i / group))
             (tQ i) (tK (i / group)%nat) (tV (i / group)%nat) d_k d_v keep n m). }
  rewrite H. unfold tQ, tK, tV. rewrite !family_project_pullback.
  (* what arrives at Y by the keys and by the values adds up *)
  assert (Y2 : inner memory_gradient dY m d_memory
    = inner (fun j y => sum (fun g => left_gradient (key_gradient g) (W_K P g) d_k j y) kv_heads)
            dY m d_memory
      + inner (fun j y => sum (fun g => left_gradient (value_gradient g) (W_V P g) d_v j y) kv_heads)
              dY m d_memory).
  { rewrite inner_plus_left. apply inner_ext; intros; [|reflexivity].
    apply sum_plus. }
  rewrite Y2. unfold parameters_inner, inputs_gradient. simpl. ring.
Qed.

End Backwards.

Theorem multi_head_backward_pass_along_a_curve : forall G P X Y P0 X0 Y0 dP dX dY t,
  parameters_move P t P0 dP d_model d_memory h kv_heads d_k d_v ->
  moves X t X0 dX n d_model -> moves Y t Y0 dY m d_memory ->
  derivable_pt_lim (fun u => inner G (layer (P u) (X u) (Y u)) n d_model) t
    (inner (inputs_gradient G P0 X0 Y0) dX n d_model
     + inner (memory_gradient G P0 X0 Y0) dY m d_memory
     + parameters_inner (parameters_gradient G P0 X0 Y0) dP
         d_model d_memory h kv_heads d_k d_v).
Proof.
  intros G P X Y P0 X0 Y0 dP dX dY t HP HX HY.
  rewrite <- multi_head_attention_pullback.
  apply (inner_moves _ _ (layer P0 X0 Y0)).
  apply multi_head_attention_moves; assumption.
Qed.

End Layer.

Print Assumptions multi_head_backward_pass_along_a_curve.
