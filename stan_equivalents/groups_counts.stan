// RAT model, several groups: each has its own probabilities, judges may be one instrument for all.
// One term per group and distinct pattern, times the rows that show it.
functions {
  // log P(verdicts | r, a, t); t is 0 where the system declined.
  real verdicts_lp(array[] int v, int A, int r, int a, int t, array[] int of, vector tpr,
                   vector fpr, array[] real abstained_rate) {
    real lp = 0;
    for (j in 1:size(v)) {
      // Nobody judges the answer of a row that is known to have none.
      if (v[j] != -1 && !(A == 1 && of[j] == 3)) {
        int truth = of[j] == 1 ? r : (of[j] == 2 ? a : t);
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
  real shown_lp(int R, int A, int T, array[] int v, real theta_R, vector theta_A,
                vector theta_T, array[] int of, vector tpr, vector fpr,
                array[] real abstained_rate) {
    real lp = negative_infinity();
    for (r in 0:1) {
      if (R != 1 - r) {
        real hit = bernoulli_lpmf(r | theta_R);
        if (A != 0 && T != 1) {
          lp = log_sum_exp(lp, hit + log(theta_A[r + 1])
                               + verdicts_lp(v, A, r, 1, 0, of, tpr, fpr, abstained_rate));
        }
        if (A != 1) {
          real answered = hit + log1m(theta_A[r + 1]);
          for (t in 0:1) {
            if (T != 1 - t) {
              lp = log_sum_exp(lp, answered + bernoulli_lpmf(t | theta_T[r + 1])
                                   + verdicts_lp(v, A, r, 0, t, of, tpr, fpr, abstained_rate));
            }
          }
        }
      }
    }
    return lp;
  }
}
data {
  int<lower=1> G;
  int<lower=0> P;
  int<lower=0> J;
  int<lower=0> K; // pairs of rates: one per judge where it is shared, else one per group
  array[P] int<lower=-1, upper=1> R;
  array[P] int<lower=-1, upper=1> A;
  array[P] int<lower=-1, upper=1> T; // -1 where A is 1
  array[P, J] int<lower=-1, upper=1> v;
  array[G, P] int<lower=0> n;
  array[J] int<lower=1, upper=3> of; // 1 retrieval, 2 abstention, 3 task
  array[J] real<lower=-1, upper=1> abstained_rate; // -1: as for a wrong answer
  array[G, J] int<lower=1, upper=K> pair; // whose rates judge j has in group g
  array[5, 2] real<lower=0> theta_prior; // rows R, A miss, A hit, T miss, T hit
  array[K, 2] real<lower=0> tpr_prior;
  array[K, 2] real<lower=0> fpr_prior;
}
parameters {
  vector<lower=0, upper=1>[G] theta_R;
  array[G] vector<lower=0, upper=1>[2] theta_A; // after a miss, after a hit
  array[G] vector<lower=0, upper=1>[2] theta_T;
  vector<lower=0, upper=1>[K] tpr;
  vector<lower=0, upper=1>[K] fpr;
}
model {
  for (k in 1:K) {
    target += beta_lpdf(tpr[k] | tpr_prior[k, 1], tpr_prior[k, 2]);
    target += beta_lpdf(fpr[k] | fpr_prior[k, 1], fpr_prior[k, 2]);
  }
  for (g in 1:G) {
    target += beta_lpdf(theta_R[g] | theta_prior[1, 1], theta_prior[1, 2]);
    for (r in 1:2) {
      target += beta_lpdf(theta_A[g, r] | theta_prior[1 + r, 1], theta_prior[1 + r, 2]);
      target += beta_lpdf(theta_T[g, r] | theta_prior[3 + r, 1], theta_prior[3 + r, 2]);
    }
    for (p in 1:P) {
      if (n[g, p] > 0) {
        target += n[g, p] * shown_lp(R[p], A[p], T[p], v[p], theta_R[g], theta_A[g],
                                     theta_T[g], of, tpr[pair[g]], fpr[pair[g]],
                                     abstained_rate);
      }
    }
  }
}
generated quantities {
  vector[G] task_success;
  vector[G] policy_adherence;
  for (g in 1:G) {
    real answered_miss = (1 - theta_R[g]) * (1 - theta_A[g, 1]);
    real right_hit = theta_R[g] * (1 - theta_A[g, 2]) * theta_T[g, 2];
    task_success[g] = answered_miss * theta_T[g, 1] + right_hit;
    policy_adherence[g] = (1 - theta_R[g]) * theta_A[g, 1] + right_hit;
  }
}
