// RAT model with graded retrieval, and judges: one term per distinct pattern, times the rows
// that show it.
functions {
  // log P(verdicts | a, t); t is 0 where the system declined.
  real verdicts_lp(array[] int v, int A, int a, int t, array[] int of, vector tpr, vector fpr,
                   array[] real abstained_rate) {
    real lp = 0;
    for (j in 1:size(v)) {
      // Nobody judges the answer of a row that is known to have none.
      if (v[j] != -1 && !(A == 1 && of[j] == 3)) {
        int truth = of[j] == 2 ? a : t;
        real yes = truth == 1 ? tpr[j] : fpr[j];
        if (of[j] == 3 && a == 1 && abstained_rate[j] >= 0) {
          yes = abstained_rate[j];
        }
        lp += v[j] == 1 ? log(yes) : log1m(yes);
      }
    }
    return lp;
  }
  // log P(what a row shows): every path of the tree that agrees with it; -1 is not seen.
  real shown_lp(int R, int A, int T, array[] int v, vector theta_R, vector theta_A,
                vector theta_T, array[] int of, vector tpr, vector fpr,
                array[] real abstained_rate) {
    int K = num_elements(theta_R);
    real lp = negative_infinity();
    for (l in 1:K) {
      if (R == -1 || R == l - 1) {
        real here = categorical_lpmf(l | theta_R);
        if (A != 0 && T != 1) {
          lp = log_sum_exp(lp, here + log(theta_A[l])
                               + verdicts_lp(v, A, 1, 0, of, tpr, fpr, abstained_rate));
        }
        if (A != 1) {
          real answered = here + log1m(theta_A[l]);
          for (t in 0:1) {
            if (T != 1 - t) {
              lp = log_sum_exp(lp, answered + bernoulli_lpmf(t | theta_T[l])
                                   + verdicts_lp(v, A, 0, t, of, tpr, fpr, abstained_rate));
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
  int<lower=0> P;
  int<lower=0> J;
  array[P] int<lower=-1, upper=K - 1> R; // number of the level, from 0 for the lowest
  array[P] int<lower=-1, upper=1> A;
  array[P] int<lower=-1, upper=1> T; // -1 where A is 1
  array[P, J] int<lower=-1, upper=1> v;
  array[P] int<lower=0> n;
  array[J] int<lower=2, upper=3> of; // 2 abstention, 3 task
  array[J] real<lower=-1, upper=1> abstained_rate; // -1: as for a wrong answer
  vector<lower=0>[K] retrieval_prior; // of the Dirichlet, the lowest level first
  array[K, 2] real<lower=0> abstain_prior; // a row for each level
  array[K, 2] real<lower=0> correct_prior;
  array[J, 2] real<lower=0> tpr_prior;
  array[J, 2] real<lower=0> fpr_prior;
}
parameters {
  simplex[K] theta_R; // the lowest level first
  vector<lower=0, upper=1>[K] theta_A; // at each level
  vector<lower=0, upper=1>[K] theta_T;
  vector<lower=0, upper=1>[J] tpr;
  vector<lower=0, upper=1>[J] fpr;
}
model {
  target += dirichlet_lpdf(theta_R | retrieval_prior);
  for (l in 1:K) {
    target += beta_lpdf(theta_A[l] | abstain_prior[l, 1], abstain_prior[l, 2]);
    target += beta_lpdf(theta_T[l] | correct_prior[l, 1], correct_prior[l, 2]);
  }
  for (j in 1:J) {
    target += beta_lpdf(tpr[j] | tpr_prior[j, 1], tpr_prior[j, 2]);
    target += beta_lpdf(fpr[j] | fpr_prior[j, 1], fpr_prior[j, 2]);
  }
  for (p in 1:P) {
    target += n[p] * shown_lp(R[p], A[p], T[p], v[p], theta_R, theta_A, theta_T, of, tpr,
                              fpr, abstained_rate);
  }
}
generated quantities {
  // A hit is the top level, a miss any level below it.
  vector[K] declined = theta_R .* theta_A;
  vector[K] answered = theta_R .* (1 - theta_A);
  vector[K] right = answered .* theta_T;
  real abstention = sum(declined);
  real task_success = sum(right);
  real policy_adherence = sum(head(declined, K - 1)) + right[K];
  real selective_accuracy = task_success / sum(answered);
  real abstention_precision = sum(head(declined, K - 1)) / abstention;
  real unsupported_answering = sum(head(answered, K - 1)) / (1 - theta_R[K]);
  real lucky_share = sum(head(right, K - 1)) / task_success;
  real retrieval_blame = (1 - theta_R[K] - sum(head(right, K - 1))) / (1 - task_success);
  real task_success_given_hit = (1 - theta_A[K]) * theta_T[K];
}
