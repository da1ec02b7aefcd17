// RAT model with judges whose errors depend on another label:
// one term per distinct pattern, times the rows that show it.
functions {
  // log P(verdicts | r, a, t); t is 0 where the system declined.
  real verdicts_lp(array[] int v, int A, int r, int a, int t, array[] int of, array[] int on,
                   array[] vector tpr, array[] vector fpr) {
    array[3] int label = {r, a, t};
    real lp = 0;
    for (j in 1:size(v)) {
      // Nobody judges the answer of a row that is known to have none.
      if (v[j] != -1 && !(A == 1 && of[j] == 3)) {
        int other = label[on[j]] + 1;
        lp += bernoulli_lpmf(v[j] | label[of[j]] == 1 ? tpr[j, other] : fpr[j, other]);
      }
    }
    return lp;
  }
  // log P(what a row shows): every path of the tree that agrees with it; -1 is not seen.
  real shown_lp(int R, int A, int T, array[] int v, real theta_R, vector theta_A,
                vector theta_T, array[] int of, array[] int on, array[] vector tpr,
                array[] vector fpr) {
    real lp = negative_infinity();
    for (r in 0:1) {
      if (R != 1 - r) {
        real hit = bernoulli_lpmf(r | theta_R);
        if (A != 0 && T != 1) {
          lp = log_sum_exp(lp, hit + log(theta_A[r + 1])
                               + verdicts_lp(v, A, r, 1, 0, of, on, tpr, fpr));
        }
        if (A != 1) {
          real answered = hit + log1m(theta_A[r + 1]);
          for (t in 0:1) {
            if (T != 1 - t) {
              lp = log_sum_exp(lp, answered + bernoulli_lpmf(t | theta_T[r + 1])
                                   + verdicts_lp(v, A, r, 0, t, of, on, tpr, fpr));
            }
          }
        }
      }
    }
    return lp;
  }
}
data {
  int<lower=0> P;
  int<lower=0> J;
  array[P] int<lower=-1, upper=1> R;
  array[P] int<lower=-1, upper=1> A;
  array[P] int<lower=-1, upper=1> T; // -1 where A is 1
  array[P, J] int<lower=-1, upper=1> v;
  array[P] int<lower=0> n;
  array[J] int<lower=1, upper=3> of; // 1 retrieval, 2 abstention, 3 task
  array[J] int<lower=1, upper=3> on; // the label that its errors depend on
  array[5, 2] real<lower=0> theta_prior; // rows R, A miss, A hit, T miss, T hit
  array[J, 2, 2] real<lower=0> tpr_prior; // rows: the other label is 0, is 1
  array[J, 2, 2] real<lower=0> fpr_prior;
}
parameters {
  real<lower=0, upper=1> theta_R;
  vector<lower=0, upper=1>[2] theta_A; // after a miss, after a hit
  vector<lower=0, upper=1>[2] theta_T;
  // Where the other label is 0, is 1. Nothing is right and declined: of T by A, and of A by T, the
  // second TPR has no part in any row.
  array[J] vector<lower=0, upper=1>[2] tpr;
  array[J] vector<lower=0, upper=1>[2] fpr;
}
model {
  target += beta_lpdf(theta_R | theta_prior[1, 1], theta_prior[1, 2]);
  for (r in 1:2) {
    target += beta_lpdf(theta_A[r] | theta_prior[1 + r, 1], theta_prior[1 + r, 2]);
    target += beta_lpdf(theta_T[r] | theta_prior[3 + r, 1], theta_prior[3 + r, 2]);
  }
  for (j in 1:J) {
    for (i in 1:2) {
      target += beta_lpdf(tpr[j, i] | tpr_prior[j, i, 1], tpr_prior[j, i, 2]);
      target += beta_lpdf(fpr[j, i] | fpr_prior[j, i, 1], fpr_prior[j, i, 2]);
    }
  }
  for (p in 1:P) {
    target += n[p] * shown_lp(R[p], A[p], T[p], v[p], theta_R, theta_A, theta_T,
                              of, on, tpr, fpr);
  }
}
generated quantities {
  real declined_miss = (1 - theta_R) * theta_A[1];
  real answered_miss = (1 - theta_R) * (1 - theta_A[1]);
  real answered_hit = theta_R * (1 - theta_A[2]);
  real task_success = answered_miss * theta_T[1] + answered_hit * theta_T[2];
  real policy_adherence = declined_miss + answered_hit * theta_T[2];
  // Of a judge of T among answers.
  vector[J] passes_given_1;
  vector[J] passes_given_0;
  {
    real miss_right = answered_miss * theta_T[1];
    real hit_right = answered_hit * theta_T[2];
    real declined_hit = theta_R * theta_A[2];
    for (j in 1:J) {
      vector[2] yes; // share of truths 1 where the other label is 0, is 1
      vector[2] no;
      if (of[j] == 3 && on[j] == 2) {
        yes = [task_success, 0]';
        no = [answered_miss + answered_hit - task_success, 0]';
      } else if (of[j] == 2 && on[j] == 3) {
        yes = [declined_miss + declined_hit, 0]';
        no = [answered_miss + answered_hit - task_success, task_success]';
      } else if (of[j] == 3) {
        yes = [miss_right, hit_right]';
        no = [answered_miss - miss_right, answered_hit - hit_right]';
      } else if (of[j] == 1 && on[j] == 3) {
        yes = [theta_R - hit_right, hit_right]';
        no = [1 - theta_R - miss_right, miss_right]';
      } else if (of[j] == 1) {
        yes = [answered_hit, declined_hit]';
        no = [answered_miss, declined_miss]';
      } else {
        yes = [declined_miss, declined_hit]';
        no = [answered_miss, answered_hit]';
      }
      passes_given_1[j] = dot_product(yes, tpr[j]) / sum(yes);
      passes_given_0[j] = dot_product(no, fpr[j]) / sum(no);
    }
  }
}
