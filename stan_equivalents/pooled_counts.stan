// RAT model, several systems, partially pooled: their trees and the rates of their judges are of one
// kind. One term per group and distinct pattern, times the rows that show it.
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
  array[P] int<lower=-1, upper=1> R;
  array[P] int<lower=-1, upper=1> A;
  array[P] int<lower=-1, upper=1> T; // -1 where A is 1
  array[P, J] int<lower=-1, upper=1> v;
  array[G, P] int<lower=0> n;
  array[J] int<lower=1, upper=3> of; // 1 retrieval, 2 abstention, 3 task
  array[J] real<lower=-1, upper=1> abstained_rate; // -1: as for a wrong answer
  array[5, 2] real<lower=0> theta_prior; // of typical values: R, A miss, A hit, T miss, T hit
  array[J, 2] real<lower=0> tpr_prior;
  array[J, 2] real<lower=0> fpr_prior;
}
parameters {
  vector<lower=0, upper=1>[5 + 2 * J] typical; // the tree's five, then every TPR, every FPR
  vector<lower=0>[5 + 2 * J] tau;
  array[G] vector[5] z; // how far a system is from what is typical, in units of tau
  array[G] vector<lower=0, upper=1>[2 * J] place; // the same of a judge's rates, as Cauchy's quantile
}
transformed parameters {
  array[G] vector[5] theta;
  array[G] vector[J] tpr;
  array[G] vector[J] fpr;
  for (g in 1:G) {
    theta[g] = inv_logit(logit(typical[1:5]) + tau[1:5] .* z[g]);
    for (j in 1:J) {
      int k = 5 + j;
      tpr[g, j] = inv_logit(logit(typical[k]) + tau[k] * tan(pi() * (place[g, j] - 0.5)));
      fpr[g, j] = inv_logit(logit(typical[k + J])
                            + tau[k + J] * tan(pi() * (place[g, J + j] - 0.5)));
    }
  }
}
model {
  for (k in 1:5) {
    target += beta_lpdf(typical[k] | theta_prior[k, 1], theta_prior[k, 2]);
  }
  for (j in 1:J) {
    target += beta_lpdf(typical[5 + j] | tpr_prior[j, 1], tpr_prior[j, 2]);
    target += beta_lpdf(typical[5 + J + j] | fpr_prior[j, 1], fpr_prior[j, 2]);
  }
  target += normal_lpdf(tau | 0, 1) + (5 + 2 * J) * log(2);
  for (g in 1:G) {
    target += normal_lpdf(z[g] | 0, 1);
    for (p in 1:P) {
      if (n[g, p] > 0) {
        target += n[g, p] * shown_lp(R[p], A[p], T[p], v[p], theta[g, 1], theta[g, 2:3],
                                     theta[g, 4:5], of, tpr[g], fpr[g], abstained_rate);
      }
    }
  }
}
generated quantities {
  vector[G] task_success;
  vector[G] policy_adherence;
  for (g in 1:G) {
    real answered_miss = (1 - theta[g, 1]) * (1 - theta[g, 2]);
    real right_hit = theta[g, 1] * (1 - theta[g, 3]) * theta[g, 5];
    task_success[g] = answered_miss * theta[g, 4] + right_hit;
    policy_adherence[g] = (1 - theta[g, 1]) * theta[g, 2] + right_hit;
  }
}
