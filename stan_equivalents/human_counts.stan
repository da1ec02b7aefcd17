// RAT model, human labels only: one term per distinct pattern, times the rows that show it.
functions {
  // log P(what a row shows): every path of the tree that agrees with it; -1 is a label not seen.
  real shown_lp(int R, int A, int T, real theta_R, vector theta_A, vector theta_T) {
    real lp = negative_infinity();
    for (r in 0:1) {
      if (R != 1 - r) {
        real hit = bernoulli_lpmf(r | theta_R);
        if (A != 0 && T != 1) {
          lp = log_sum_exp(lp, hit + log(theta_A[r + 1]));
        }
        if (A != 1) {
          real correct = T == -1 ? 0 : bernoulli_lpmf(T | theta_T[r + 1]);
          lp = log_sum_exp(lp, hit + log1m(theta_A[r + 1]) + correct);
        }
      }
    }
    return lp;
  }
}
data {
  int<lower=0> P;
  array[P] int<lower=-1, upper=1> R;
  array[P] int<lower=-1, upper=1> A;
  array[P] int<lower=-1, upper=1> T; // -1 where A is 1
  array[P] int<lower=0> n;
  array[5, 2] real<lower=0> theta_prior; // rows R, A miss, A hit, T miss, T hit
}
parameters {
  real<lower=0, upper=1> theta_R;
  vector<lower=0, upper=1>[2] theta_A; // after a miss, after a hit
  vector<lower=0, upper=1>[2] theta_T;
}
model {
  target += beta_lpdf(theta_R | theta_prior[1, 1], theta_prior[1, 2]);
  for (r in 1:2) {
    target += beta_lpdf(theta_A[r] | theta_prior[1 + r, 1], theta_prior[1 + r, 2]);
    target += beta_lpdf(theta_T[r] | theta_prior[3 + r, 1], theta_prior[3 + r, 2]);
  }
  for (p in 1:P) {
    target += n[p] * shown_lp(R[p], A[p], T[p], theta_R, theta_A, theta_T);
  }
}
generated quantities {
  real declined_miss = (1 - theta_R) * theta_A[1];
  real answered_miss = (1 - theta_R) * (1 - theta_A[1]);
  real answered_hit = theta_R * (1 - theta_A[2]);
  real abstention = 1 - answered_miss - answered_hit;
  real task_success = answered_miss * theta_T[1] + answered_hit * theta_T[2];
  real policy_adherence = declined_miss + answered_hit * theta_T[2];
  real selective_accuracy = task_success / (answered_miss + answered_hit);
  real abstention_precision = declined_miss / abstention;
  real unsupported_answering = 1 - theta_A[1];
  real lucky_share = answered_miss * theta_T[1] / task_success;
  real retrieval_blame = (1 - theta_R - answered_miss * theta_T[1]) / (1 - task_success);
  real task_success_given_hit = (1 - theta_A[2]) * theta_T[2];
}
