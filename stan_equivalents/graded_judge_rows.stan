// RAT model with judges that answer in levels:
// one term per row.
functions {
  // log P(verdicts | r, a, t); t is 0 where the system declined.
  real verdicts_lp(array[] int v, int A, int r, int a, int t, array[] int of,
                   array[] vector given_1, array[] vector given_0) {
    real lp = 0;
    for (j in 1:size(v)) {
      // Nobody judges the answer of a row that is known to have none.
      if (v[j] != -1 && !(A == 1 && of[j] == 3)) {
        int truth = of[j] == 1 ? r : (of[j] == 2 ? a : t);
        lp += categorical_lpmf(v[j] + 1 | truth == 1 ? given_1[j] : given_0[j]);
      }
    }
    return lp;
  }
  // log P(what a row shows): every path of the tree that agrees with it; -1 is not seen.
  real shown_lp(int R, int A, int T, array[] int v, real theta_R, vector theta_A,
                vector theta_T, array[] int of, array[] vector given_1,
                array[] vector given_0) {
    real lp = negative_infinity();
    for (r in 0:1) {
      if (R != 1 - r) {
        real hit = bernoulli_lpmf(r | theta_R);
        if (A != 0 && T != 1) {
          lp = log_sum_exp(lp, hit + log(theta_A[r + 1])
                               + verdicts_lp(v, A, r, 1, 0, of, given_1, given_0));
        }
        if (A != 1) {
          real answered = hit + log1m(theta_A[r + 1]);
          for (t in 0:1) {
            if (T != 1 - t) {
              lp = log_sum_exp(lp, answered + bernoulli_lpmf(t | theta_T[r + 1])
                                   + verdicts_lp(v, A, r, 0, t, of, given_1, given_0));
            }
          }
        }
      }
    }
    return lp;
  }
}
data {
  int<lower=2> L;
  int<lower=0> N;
  int<lower=0> J;
  array[N] int<lower=-1, upper=1> R;
  array[N] int<lower=-1, upper=1> A;
  array[N] int<lower=-1, upper=1> T; // -1 where A is 1
  array[N, J] int<lower=-1, upper=L - 1> v; // number of the level, from 0 for the lowest
  array[J] int<lower=1, upper=3> of; // 1 retrieval, 2 abstention, 3 task
  array[5, 2] real<lower=0> theta_prior; // rows R, A miss, A hit, T miss, T hit
  array[J] vector<lower=0>[L] given_1_prior; // of a Dirichlet, the lowest level first
  array[J] vector<lower=0>[L] given_0_prior;
}
parameters {
  real<lower=0, upper=1> theta_R;
  vector<lower=0, upper=1>[2] theta_A; // after a miss, after a hit
  vector<lower=0, upper=1>[2] theta_T;
  array[J] simplex[L] given_1; // where the truth is 1, the lowest level first
  array[J] simplex[L] given_0;
}
model {
  target += beta_lpdf(theta_R | theta_prior[1, 1], theta_prior[1, 2]);
  for (r in 1:2) {
    target += beta_lpdf(theta_A[r] | theta_prior[1 + r, 1], theta_prior[1 + r, 2]);
    target += beta_lpdf(theta_T[r] | theta_prior[3 + r, 1], theta_prior[3 + r, 2]);
  }
  for (j in 1:J) {
    target += dirichlet_lpdf(given_1[j] | given_1_prior[j]);
    target += dirichlet_lpdf(given_0[j] | given_0_prior[j]);
  }
  for (i in 1:N) {
    target += shown_lp(R[i], A[i], T[i], v[i], theta_R, theta_A, theta_T, of, given_1, given_0);
  }
}
generated quantities {
  real declined_miss = (1 - theta_R) * theta_A[1];
  real answered_miss = (1 - theta_R) * (1 - theta_A[1]);
  real answered_hit = theta_R * (1 - theta_A[2]);
  real task_success = answered_miss * theta_T[1] + answered_hit * theta_T[2];
  real policy_adherence = declined_miss + answered_hit * theta_T[2];
}
