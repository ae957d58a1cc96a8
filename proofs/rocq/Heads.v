(* Multi-head attention over the reals, with grouped key/value heads.

   There are h query heads. They share key/value heads in groups: query head i
   reads key/value head i / group, so that h = kv_heads * group; group = 1 is
   the layer of the paper, and kv_heads = 1 is multi-query attention. The
   output of the heads is concatenated head-major: column i * d_v + e belongs
   to head i. Queries are read from X (d_model columns), keys and values from
   Y (d_memory columns); self-attention is the case Y = X.

   Definitions:
     parameters               W_Q, b_Q for a query head; W_K, b_K, W_V, b_V for
                              a key/value head; W_O and b_O
     queries P X d_model i    X W_Q + b_Q of query head i; keys and values alike
     score_function           any function of the queries and keys of a head;
                              a layer has one for each head, so that relative
                              positions, caps and slopes are included
     scaled_scores d_k        the score function of the paper, for every head
     head score P X Y keep d_model d_memory group m i    the output of head i
     concatenate Z d_v        the outputs of all heads beside one another
     block W d_v i            rows i * d_v, ..., i * d_v + d_v - 1 of W
     multi_head_attention     the concatenated heads times W_O, plus b_O

   What this file offers besides:
     concatenate_at           column i * d_v + e is column e of head i
     head_index_quotient, head_index_remainder, head_index_lt, head_index_split
                              numbering the pairs of a group and a place in it *)

From Coq Require Import Reals Lra Lia Arith.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

Record parameters := {
  W_Q : nat -> matrix;  b_Q : nat -> nat -> R;
  W_K : nat -> matrix;  b_K : nat -> nat -> R;
  W_V : nat -> matrix;  b_V : nat -> nat -> R;
  W_O : matrix;         b_O : nat -> R
}.

Definition queries (P : parameters) (X : matrix) (d_model i : nat) : matrix :=
  project X (W_Q P i) (b_Q P i) d_model.

Definition keys (P : parameters) (Y : matrix) (d_memory g : nat) : matrix :=
  project Y (W_K P g) (b_K P g) d_memory.

Definition values (P : parameters) (Y : matrix) (d_memory g : nat) : matrix :=
  project Y (W_V P g) (b_V P g) d_memory.

Definition score_function := matrix -> matrix -> matrix.

Definition scaled_scores (d_k : nat) : nat -> score_function :=
  fun _ Q K => scores Q K d_k.

(* The scores of query head i, before mask and softmax. *)
Definition head_scores
    (score : nat -> score_function) (P : parameters) (X Y : matrix)
    (d_model d_memory group i : nat) : matrix :=
  score i (queries P X d_model i) (keys P Y d_memory (i / group)).

Definition head
    (score : nat -> score_function) (P : parameters) (X Y : matrix) (keep : mask)
    (d_model d_memory group m i : nat) : matrix :=
  attention (head_scores score P X Y d_model d_memory group i) keep
            (values P Y d_memory (i / group)) m.

Definition concatenate (Z : nat -> matrix) (d_v : nat) : matrix :=
  fun r column => Z (column / d_v)%nat r (column mod d_v)%nat.

Definition block (W : matrix) (d_v i : nat) : matrix :=
  fun e c => W (i * d_v + e)%nat c.

Definition multi_head_attention
    (score : nat -> score_function) (P : parameters) (X Y : matrix) (keep : mask)
    (d_model d_memory h group d_v m : nat) : matrix :=
  project (concatenate (head score P X Y keep d_model d_memory group m) d_v)
          (W_O P) (b_O P) (h * d_v).

(* Numbering pairs: (i, e) with e < k has the number i * k + e. *)

Lemma head_index_quotient : forall i k e, (e < k)%nat -> ((i * k + e) / k = i)%nat.
Proof. intros i k e H. rewrite Nat.div_add_l, Nat.div_small by lia. lia. Qed.

Lemma head_index_remainder : forall i k e, (e < k)%nat -> ((i * k + e) mod k = e)%nat.
Proof. intros i k e H. rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. reflexivity. Qed.

Lemma head_index_lt : forall i h k e,
  (i < h)%nat -> (e < k)%nat -> (i * k + e < h * k)%nat.
Proof. intros i h k e Hi He. nia. Qed.

(* Every number below h * k is the number of one pair. *)
Lemma head_index_split : forall h k x, (x < h * k)%nat ->
  (x / k < h)%nat /\ (x mod k < k)%nat /\ (x = x / k * k + x mod k)%nat.
Proof.
  intros h k x H. assert (k <> 0)%nat by (intros ->; lia).
  repeat split.
  - apply Nat.div_lt_upper_bound; lia.
  - apply Nat.mod_upper_bound; assumption.
  - rewrite Nat.mul_comm. apply Nat.div_mod; assumption.
Qed.

Lemma concatenate_at : forall Z d_v i r e, (e < d_v)%nat ->
  concatenate Z d_v r (i * d_v + e)%nat = Z i r e.
Proof.
  intros Z d_v i r e He. unfold concatenate.
  rewrite head_index_quotient, head_index_remainder by assumption. reflexivity.
Qed.
