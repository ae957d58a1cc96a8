(* The backward pass of scaled dot-product attention.

   Let the loss be the sum over i and c of G i c * O i c, where O is the output
   and G the gradient that arrives at it. With P the weights,

     dV j c = sum over i of P i j * G i c
     dP i j = sum over c of G i c * V j c
     dS i j = P i j * (dP i j - sum over k of P i k * dP i k)
     dQ i c = sum over j of dS i j * K j c / sqrt d_k
     dK j c = sum over i of dS i j * Q i c / sqrt d_k

   are the derivatives of the loss towards the entries of V, Q and K: each entry
   is varied alone, and the loss as a function of it has that derivative at the
   entry's value.

   Main results:
     attention_backward_pass   all three at once, for every mask

   Hypotheses: the entry is inside its matrix. No row needs a kept key: in a row
   without one the weights are 0 whatever the entries, so it adds 0 to the loss
   and 0 to every gradient. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention Derivatives.
Open Scope R_scope.

Definition loss (G O : matrix) (n d_v : nat) : R :=
  sum (fun i => sum (fun c => G i c * O i c) d_v) n.

Theorem attention_backward_pass : forall Q K V G d_k d_v keep n m,
  let L := fun Q K V =>
    loss G (scaled_dot_product_attention Q K V d_k keep m) n d_v in
  let P := weights (scores Q K d_k) keep m in
  let dV := fun j c => sum (fun i => P i j * G i c) n in
  let dP := fun i j => sum (fun c => G i c * V j c) d_v in
  let dS := fun i j => P i j * (dP i j - sum (fun k => P i k * dP i k) m) in
  let dQ := fun i c => sum (fun j => dS i j * K j c) m / sqrt (INR d_k) in
  let dK := fun j c => sum (fun i => dS i j * Q i c) n / sqrt (INR d_k) in
  (forall i c, (i < n)%nat -> (c < d_k)%nat ->
     derivable_pt_lim (fun t => L (with_entry Q i c t) K V) (Q i c) (dQ i c)) /\
  (forall j c, (j < m)%nat -> (c < d_k)%nat ->
     derivable_pt_lim (fun t => L Q (with_entry K j c t) V) (K j c) (dK j c)) /\
  (forall j c, (j < m)%nat -> (c < d_v)%nat ->
     derivable_pt_lim (fun t => L Q K (with_entry V j c t)) (V j c) (dV j c)).
Proof.
  intros Q K V G d_k d_v keep n m L P dV dP dS dQ dK.
  (* one entry moves, the two other matrices stand still *)
  split; [|split]; intros a c Ha Hc.
  - pose proof (attention_backward_pass_along_a_curve G
      (fun t => with_entry Q a c t) (fun _ => K) (fun _ => V) Q K V
      (unit_entry a c) zero_matrix zero_matrix d_k d_v keep (Q a c) n m
      (with_entry_moves Q a c n d_k) (moves_still K _ m d_k) (moves_still V _ m d_v)) as D.
    rewrite !inner_zero, inner_unit_entry, !Rplus_0_r in D by assumption. exact D.
  - pose proof (attention_backward_pass_along_a_curve G
      (fun _ => Q) (fun t => with_entry K a c t) (fun _ => V) Q K V
      zero_matrix (unit_entry a c) zero_matrix d_k d_v keep (K a c) n m
      (moves_still Q _ n d_k) (with_entry_moves K a c m d_k) (moves_still V _ m d_v)) as D.
    rewrite !inner_zero, inner_unit_entry, Rplus_0_l, Rplus_0_r in D by assumption. exact D.
  - pose proof (attention_backward_pass_along_a_curve G
      (fun _ => Q) (fun _ => K) (fun t => with_entry V a c t) Q K V
      zero_matrix zero_matrix (unit_entry a c) d_k d_v keep (V a c) n m
      (moves_still Q _ n d_k) (moves_still K _ m d_k) (with_entry_moves V a c m d_v)) as D.
    rewrite !inner_zero, inner_unit_entry, !Rplus_0_l in D by assumption. exact D.
Qed.

Print Assumptions attention_backward_pass.
