(* A layer with one head is plain attention.

   With h = 1 the layer is one scaled dot-product attention between its
   projections: attention of X W_Q, Y W_K and Y W_V (with their biases), times
   W_O, plus b_O. Nothing is cut and nothing is concatenated. If moreover W_O
   is the identity and b_O is zero, the layer is attention itself.

   Main results:
     one_head_is_plain_attention              h = 1, any parameters
     one_head_without_projections_is_attention
                                              all matrices are identities

   The first has no hypothesis but h = 1 itself. It is stated for any score
   function; scaled_scores d_k makes it the one of the paper. In the second,
   identities need matching sizes: queries, keys and values as wide as X and Y,
   which is why the one size d stands for all four. *)

From Coq Require Import Reals Lra Lia Arith.
From MhaSpec Require Import FiniteSums Attention Heads.
Open Scope R_scope.

Theorem one_head_is_plain_attention :
  forall score P X Y keep d_model d_memory d_v m r c,
  multi_head_attention score P X Y keep d_model d_memory 1 1 d_v m r c
  = project
      (attention
         (score 0%nat (project X (W_Q P 0) (b_Q P 0%nat) d_model)
                      (project Y (W_K P 0) (b_K P 0%nat) d_memory))
         keep (project Y (W_V P 0) (b_V P 0%nat) d_memory) m)
      (W_O P) (b_O P) d_v r c.
Proof.
  intros. unfold multi_head_attention. rewrite Nat.mul_1_l.
  apply (f_equal (fun s => s + b_O P c)). apply sum_ext; intros e He. f_equal.
  (* the columns of the only head are the columns 0 * d_v + e *)
  exact (concatenate_at _ d_v 0 r e He).
Qed.

Definition identity : matrix := fun i j => if (i =? j)%nat then 1 else 0.

Lemma project_by_identity : forall X d r c, (c < d)%nat ->
  project X identity (fun _ => 0) d r c = X r c.
Proof.
  intros X d r c Hc. unfold project, identity. rewrite Rplus_0_r.
  rewrite (sum_single _ d c); [rewrite Nat.eqb_refl; ring|assumption|].
  intros i _ D. destruct (Nat.eqb_spec i c); [congruence|ring].
Qed.

Definition identities : parameters := {|
  W_Q := fun _ => identity;  b_Q := fun _ _ => 0;
  W_K := fun _ => identity;  b_K := fun _ _ => 0;
  W_V := fun _ => identity;  b_V := fun _ _ => 0;
  W_O := identity;           b_O := fun _ => 0
|}.

Theorem one_head_without_projections_is_attention :
  forall X Y keep d m r c, (c < d)%nat ->
  multi_head_attention (scaled_scores d) identities X Y keep d d 1 1 d m r c
  = scaled_dot_product_attention X Y Y d keep m r c.
Proof.
  intros X Y keep d m r c Hc. rewrite one_head_is_plain_attention.
  simpl. rewrite project_by_identity by assumption.
  apply scaled_dot_product_attention_ext; intros; try reflexivity;
    apply project_by_identity; assumption.
Qed.

Print Assumptions one_head_is_plain_attention.
Print Assumptions one_head_without_projections_is_attention.
