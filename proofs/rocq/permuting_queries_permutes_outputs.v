(* Each output row belongs to its query, wherever the query stands.

   Permuting the queries together with the rows of the mask permutes the
   outputs in the same way.

   Main results:
     permuting_queries_permutes_outputs
     permuting_queries_and_back          undoing the permutation on the outputs
                                         gives the outputs of the queries as
                                         they stood

   Hypotheses: the first result has none, f may be any map of row indices (it
   may even repeat queries). `bijection_below n f g` and `i < n` serve the
   second, which needs the inverse g of f. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

Theorem permuting_queries_permutes_outputs :
  forall Q K V d_k keep m (f : nat -> nat) i c,
  scaled_dot_product_attention
    (fun a e => Q (f a) e) K V d_k (fun a b => keep (f a) b) m i c
  = scaled_dot_product_attention Q K V d_k keep m (f i) c.
Proof.
  (* row i on the left reads query f i and mask row f i, and no other row *)
  intros. apply scaled_dot_product_attention_ext; reflexivity.
Qed.

Theorem permuting_queries_and_back :
  forall Q K V d_k keep n m f g i c,
  bijection_below n f g -> (i < n)%nat ->
  scaled_dot_product_attention
    (fun a e => Q (f a) e) K V d_k (fun a b => keep (f a) b) m (g i) c
  = scaled_dot_product_attention Q K V d_k keep m i c.
Proof.
  intros Q K V d_k keep n m f g i c [_ G] Hi.
  rewrite permuting_queries_permutes_outputs. f_equal. apply G; assumption.
Qed.

Print Assumptions permuting_queries_permutes_outputs.
Print Assumptions permuting_queries_and_back.
