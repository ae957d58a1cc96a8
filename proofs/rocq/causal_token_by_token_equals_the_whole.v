(* Decoding token by token equals the whole causal layer.

   In causal self-attention over n tokens, output row i is the output that the
   query of token i alone gets from the keys and values of the first i + 1
   tokens alone, without any causal mask. So a decoder that keeps those keys and
   values, and sees nothing later, computes the rows of the whole layer.

   Main results:
     causal_token_by_token_equals_the_whole   self-attention, query i at
                                              position i (top-left)
     causal_without_further_mask              the same where nothing else is hidden
     bottom_right_token_by_token_equals_the_whole
                                              n queries at the last n of m
                                              positions
     last_visible_key                         any alignment: query i sees the
                                              keys up to a last one

   A further mask may hide more: the step then uses its row i.

   Hypotheses: `i < n`, the token is one of them. `i < n <= m`, bottom-right,
   says that query i sees a key: with m < n the first rows would be empty. The
   step's query, keys and values q, K', V' agree with those of the whole layer
   at the tokens seen, and may be anything elsewhere. *)

From Coq Require Import Reals Lra Lia Arith Bool.
From MhaSpec Require Import FiniteSums Attention.
Open Scope R_scope.

(* Query i sees the keys up to `last i`, as far as `keep` allows. *)
Definition up_to (last : nat -> nat) (keep : mask) : mask :=
  both keep (fun i j => j <=? last i)%nat.

(* Causality, aligned at the first positions or at the last. *)
Definition top_left : mask := fun i j => (j <=? i)%nat.
Definition bottom_right (n m : nat) : mask := fun i j => (j + n <=? i + m)%nat.

(* A kept sum stops where all later keys are hidden. *)
Lemma kept_sum_prefix : forall keep f p m,
  (p <= m)%nat -> (forall j, (p <= j < m)%nat -> keep j = false) ->
  kept_sum keep f m = kept_sum keep f p.
Proof.
  intros keep f p m Hp H. unfold kept_sum.
  replace m with (p + (m - p))%nat by lia. rewrite sum_app.
  rewrite (sum_zero (fun i => if keep (p + i)%nat then f (p + i)%nat else 0)).
  - ring.
  - intros j Hj. rewrite H by lia. reflexivity.
Qed.

Lemma attention_prefix : forall S keep V p m i c,
  (p <= m)%nat -> (forall j, (p <= j < m)%nat -> keep i j = false) ->
  attention S keep V m i c = attention S keep V p i c.
Proof.
  intros S keep V p m i c Hp H. rewrite !attention_quotient.
  unfold row_total. rewrite !(kept_sum_prefix (keep i) _ p m) by assumption.
  reflexivity.
Qed.

Theorem last_visible_key :
  forall Q K V d_k keep (last : nat -> nat) m i c q K' V',
  (last i < m)%nat ->
  (forall e, (e < d_k)%nat -> q 0%nat e = Q i e) ->
  (forall j e, (j <= last i)%nat -> (e < d_k)%nat -> K' j e = K j e) ->
  (forall j, (j <= last i)%nat -> V' j c = V j c) ->
  scaled_dot_product_attention Q K V d_k (up_to last keep) m i c
  = scaled_dot_product_attention q K' V' d_k (fun _ j => keep i j) (S (last i)) 0%nat c.
Proof.
  intros Q K V d_k keep last m i c q K' V' H HQ HK HV.
  unfold scaled_dot_product_attention.
  (* every key after the last visible one is hidden *)
  rewrite (attention_prefix _ _ _ (S (last i)) m); [|lia|].
  2:{ intros j Hj. unfold up_to, both. rewrite (proj2 (Nat.leb_gt j (last i))) by lia.
      apply andb_false_r. }
  (* up to it, causality hides nothing, and the step reads the same numbers *)
  apply attention_ext.
  - intros j Hj. unfold up_to, both. rewrite (proj2 (Nat.leb_le j (last i))) by lia.
    apply andb_true_r.
  - intros j Hj _. symmetry. apply scores_ext; [assumption|].
    intros e He. apply HK; [lia|assumption].
  - intros j Hj _. symmetry. apply HV. lia.
Qed.

Theorem causal_token_by_token_equals_the_whole :
  forall Q K V d_k keep n i c q K' V',
  (i < n)%nat ->
  (forall e, (e < d_k)%nat -> q 0%nat e = Q i e) ->
  (forall j e, (j <= i)%nat -> (e < d_k)%nat -> K' j e = K j e) ->
  (forall j, (j <= i)%nat -> V' j c = V j c) ->
  scaled_dot_product_attention Q K V d_k (both keep top_left) n i c
  = scaled_dot_product_attention q K' V' d_k (fun _ j => keep i j) (S i) 0%nat c.
Proof.
  intros. exact (last_visible_key Q K V d_k keep (fun a => a) n i c q K' V'
                   ltac:(assumption) ltac:(assumption) ltac:(assumption) ltac:(assumption)).
Qed.

(* With no further mask the step hides nothing at all. *)
Theorem causal_without_further_mask :
  forall Q K V d_k n i c q K' V',
  (i < n)%nat ->
  (forall e, (e < d_k)%nat -> q 0%nat e = Q i e) ->
  (forall j e, (j <= i)%nat -> (e < d_k)%nat -> K' j e = K j e) ->
  (forall j, (j <= i)%nat -> V' j c = V j c) ->
  scaled_dot_product_attention Q K V d_k top_left n i c
  = scaled_dot_product_attention q K' V' d_k keep_all (S i) 0%nat c.
Proof.
  intros Q K V d_k n i c.
  exact (causal_token_by_token_equals_the_whole Q K V d_k keep_all n i c).
Qed.

(* n queries at the last n of m positions: query i sees i + (m - n) + 1 keys. *)
Theorem bottom_right_token_by_token_equals_the_whole :
  forall Q K V d_k keep n m i c q K' V',
  (i < n)%nat -> (n <= m)%nat ->
  (forall e, (e < d_k)%nat -> q 0%nat e = Q i e) ->
  (forall j e, (j <= i + (m - n))%nat -> (e < d_k)%nat -> K' j e = K j e) ->
  (forall j, (j <= i + (m - n))%nat -> V' j c = V j c) ->
  scaled_dot_product_attention Q K V d_k (both keep (bottom_right n m)) m i c
  = scaled_dot_product_attention q K' V' d_k (fun _ j => keep i j)
      (S (i + (m - n))) 0%nat c.
Proof.
  intros Q K V d_k keep n m i c q K' V' Hi Hm HQ HK HV.
  rewrite <- (last_visible_key Q K V d_k keep (fun a => a + (m - n))%nat m i c q K' V')
    by (assumption || lia).
  apply scaled_dot_product_attention_ext; try reflexivity.
  intros j Hj. unfold up_to, both, bottom_right. f_equal.
  destruct (Nat.leb_spec (j + n) (i + m)), (Nat.leb_spec j (i + (m - n)));
    reflexivity || lia.
Qed.

Print Assumptions causal_token_by_token_equals_the_whole.
Print Assumptions causal_without_further_mask.
Print Assumptions bottom_right_token_by_token_equals_the_whole.
Print Assumptions last_visible_key.
