// RAT model with graded retrieval, and judges of it that answer in levels:
// one term per row.
functions {
  // log P(verdicts | level l of retrieval).
  real verdicts_lp(array[] int v, int l, array[,] vector given) {
    real lp = 0;
    for (j in 1:size(v)) {
      if (v[j] != -1) {
        lp += categorical_lpmf(v[j] + 1 | given[j, l]);
      }
    }
    return lp;
  }
  // log P(what a row shows): every path of the tree that agrees with it; -1 is not seen.
  real shown_lp(int R, int A, int T, array[] int v, vector theta_R, vector theta_A,
                vector theta_T, array[,] vector given) {
    real lp = negative_infinity();
    for (l in 1:num_elements(theta_R)) {
      if (R == -1 || R == l - 1) {
        real here = categorical_lpmf(l | theta_R) + verdicts_lp(v, l, given);
        if (A != 0 && T != 1) {
          lp = log_sum_exp(lp, here + log(theta_A[l]));
        }
        if (A != 1) {
          for (t in 0:1) {
            if (T != 1 - t) {
              lp = log_sum_exp(lp, here + log1m(theta_A[l]) + bernoulli_lpmf(t | theta_T[l]));
            }
          }
        }
      }
    }
    return lp;
  }
}
data {
  int<lower=2> K;
  int<lower=2> L;
  int<lower=0> N;
  int<lower=0> J;
  array[N] int<lower=-1, upper=K - 1> R; // number of the level, from 0 for the lowest
  array[N] int<lower=-1, upper=1> A;
  array[N] int<lower=-1, upper=1> T; // -1 where A is 1
  array[N, J] int<lower=-1, upper=L - 1> v; // number of the answer, from 0 for the lowest
  vector<lower=0>[K] retrieval_prior; // of the Dirichlet, the lowest level first
  array[K, 2] real<lower=0> abstain_prior; // a row for each level
  array[K, 2] real<lower=0> correct_prior;
  array[J, K] vector<lower=0>[L] given_prior; // of Dirichlets, the lowest answer first
}
parameters {
  simplex[K] theta_R; // the lowest level first
  vector<lower=0, upper=1>[K] theta_A; // at each level
  vector<lower=0, upper=1>[K] theta_T;
  array[J, K] simplex[L] given; // of each judge at each level, the lowest answer first
}
model {
  target += dirichlet_lpdf(theta_R | retrieval_prior);
  for (l in 1:K) {
    target += beta_lpdf(theta_A[l] | abstain_prior[l, 1], abstain_prior[l, 2]);
    target += beta_lpdf(theta_T[l] | correct_prior[l, 1], correct_prior[l, 2]);
    for (j in 1:J) {
      target += dirichlet_lpdf(given[j, l] | given_prior[j, l]);
    }
  }
  for (i in 1:N) {
    target += shown_lp(R[i], A[i], T[i], v[i], theta_R, theta_A, theta_T, given);
  }
}
generated quantities {
  // A hit is the top level, a miss any level below it.
  vector[K] declined = theta_R .* theta_A;
  vector[K] right = theta_R .* (1 - theta_A) .* theta_T;
  real task_success = sum(right);
  real policy_adherence = sum(head(declined, K - 1)) + right[K];
  array[J] vector[L] given_1; // at the top level
  array[J] vector[L] given_0; // below it
  for (j in 1:J) {
    given_1[j] = given[j, K];
    given_0[j] = rep_vector(0, L);
    for (l in 1:K - 1) {
      given_0[j] += given[j, l] * theta_R[l] / (1 - theta_R[K]);
    }
  }
}
