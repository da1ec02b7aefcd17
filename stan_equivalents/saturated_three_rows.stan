// RAT model with three judges of the task, of whose errors nothing is assumed:
// one term per row.
functions {
  // log P(verdicts | r, a, t): an abstention is judged as a wrong answer would be. Of a judge that is
  // silent both verdicts are summed over.
  real verdicts_lp(array[] int v, int A, int r, int a, int t, vector first,
                   array[] vector second, array[] vector third) {
    int w = 1 + 2 * r + t;
    real lp = negative_infinity();
    // Nobody judges the answer of a row that is known to have none.
    if (A == 1 || max(v) == -1) {
      return 0;
    }
    for (x in 0:1) {
      for (y in 0:1) {
        for (z in 0:1) {
          if (v[1] != 1 - x && v[2] != 1 - y && v[3] != 1 - z) {
            lp = log_sum_exp(lp, bernoulli_lpmf(x | first[w])
                                 + bernoulli_lpmf(y | second[w, x + 1])
                                 + bernoulli_lpmf(z | third[w, 2 * x + y + 1]));
          }
        }
      }
    }
    return lp;
  }
  // log P(what a row shows): every path of the tree that agrees with it; -1 is not seen.
  real shown_lp(int R, int A, int T, array[] int v, real theta_R, vector theta_A,
                vector theta_T, vector first, array[] vector second,
                array[] vector third) {
    real lp = negative_infinity();
    for (r in 0:1) {
      if (R != 1 - r) {
        real hit = bernoulli_lpmf(r | theta_R);
        if (A != 0 && T != 1) {
          lp = log_sum_exp(lp, hit + log(theta_A[r + 1])
                               + verdicts_lp(v, A, r, 1, 0, first, second, third));
        }
        if (A != 1) {
          real answered = hit + log1m(theta_A[r + 1]);
          for (t in 0:1) {
            if (T != 1 - t) {
              lp = log_sum_exp(lp, answered + bernoulli_lpmf(t | theta_T[r + 1])
                                   + verdicts_lp(v, A, r, 0, t, first, second, third));
            }
          }
        }
      }
    }
    return lp;
  }
}
data {
  int<lower=0> N;
  array[N] int<lower=-1, upper=1> R;
  array[N] int<lower=-1, upper=1> A;
  array[N] int<lower=-1, upper=1> T; // -1 where A is 1
  array[N, 3] int<lower=-1, upper=1> v;
  array[5, 2] real<lower=0> theta_prior; // rows R, A miss, A hit, T miss, T hit
  array[4, 2] real<lower=0> first_prior; // rows miss wrong, miss right, hit wrong, hit right
  array[4, 2, 2] real<lower=0> second_prior; // in each after a first verdict of 0, of 1
  array[4, 4, 2] real<lower=0> third_prior; // in each after two verdicts of 00, 01, 10, 11
}
parameters {
  real<lower=0, upper=1> theta_R;
  vector<lower=0, upper=1>[2] theta_A; // after a miss, after a hit
  vector<lower=0, upper=1>[2] theta_T;
  vector<lower=0, upper=1>[4] first;
  array[4] vector<lower=0, upper=1>[2] second;
  array[4] vector<lower=0, upper=1>[4] third;
}
model {
  target += beta_lpdf(theta_R | theta_prior[1, 1], theta_prior[1, 2]);
  for (r in 1:2) {
    target += beta_lpdf(theta_A[r] | theta_prior[1 + r, 1], theta_prior[1 + r, 2]);
    target += beta_lpdf(theta_T[r] | theta_prior[3 + r, 1], theta_prior[3 + r, 2]);
  }
  for (w in 1:4) {
    target += beta_lpdf(first[w] | first_prior[w, 1], first_prior[w, 2]);
    for (i in 1:2) {
      target += beta_lpdf(second[w, i] | second_prior[w, i, 1], second_prior[w, i, 2]);
    }
    for (i in 1:4) {
      target += beta_lpdf(third[w, i] | third_prior[w, i, 1], third_prior[w, i, 2]);
    }
  }
  for (i in 1:N) {
    target += shown_lp(R[i], A[i], T[i], v[i], theta_R, theta_A, theta_T, first, second,
                       third);
  }
}
generated quantities {
  real declined_miss = (1 - theta_R) * theta_A[1];
  real answered_miss = (1 - theta_R) * (1 - theta_A[1]);
  real answered_hit = theta_R * (1 - theta_A[2]);
  real task_success = answered_miss * theta_T[1] + answered_hit * theta_T[2];
  real policy_adherence = declined_miss + answered_hit * theta_T[2];
  array[3] vector[4] alone; // P(each judge says 1), whatever the others said
  alone[1] = first;
  for (w in 1:4) {
    vector[2] before = [1 - first[w], first[w]]';
    alone[2, w] = before[1] * second[w, 1] + before[2] * second[w, 2];
    alone[3, w] = 0;
    for (i in 1:2) {
      alone[3, w] += before[i] * ((1 - second[w, i]) * third[w, 2 * i - 1]
                                  + second[w, i] * third[w, 2 * i]);
    }
  }
  real right = task_success;
  real wrong = answered_miss + answered_hit - task_success;
  vector[3] passes_given_1;
  vector[3] passes_given_0;
  for (j in 1:3) {
    passes_given_1[j] = (answered_miss * theta_T[1] * alone[j, 2]
                         + answered_hit * theta_T[2] * alone[j, 4]) / right;
    passes_given_0[j] = (answered_miss * (1 - theta_T[1]) * alone[j, 1]
                         + answered_hit * (1 - theta_T[2]) * alone[j, 3]) / wrong;
  }
}
