# SPDX-License-Identifier: MIT
"""The numbers of the paper's tables: mean and spread over ten splits; None: too large for the method."""

TITLES = {"tr-mm": "TR-MM", "tr-ls": "TR-LS", "ffw": "FFW", "rprecon": "Rprecon", "geomcg": "geomCG", "hard": "Hard",
          "topt": "Topt", "halrtc": "HaLRTC", "latent": "Latent", "tsvd": "T-svd", "bayescp": "BayesCP"}

# Tables 4 and 5: the methods in the order of TITLES.
_MEANS = {
    "ribeira": "0.067 0.001 0.064 0.002 0.088 0.001 0.083 0.001 0.156 0.023 0.114 0.001 0.127 0.023 0.095 0.001 "
               "0.087 0.001 0.064 0.001 0.154 0.001",
    "tomato": "0.041 0.001 0.047 0.001 0.045 0.001 0.052 0.000 0.052 0.000 0.060 0.001 0.102 0.001 0.202 0.005 "
              "0.046 0.001 0.042 0.001 0.103 0.001",
    "baboon": "0.121 0.001 0.129 0.002 0.133 0.001 0.128 0.001 0.128 0.001 0.126 0.001 0.130 0.004 0.247 0.012 "
              "0.459 0.002 0.146 0.002 0.159 0.001",
    "movielens": "0.840 0.001 0.838 0.001 0.895 0.001 0.831 0.002 0.844 0.003",
    "youtube-subset": "0.957 0.001 0.954 0.001 0.954 0.001 0.941 0.001 0.941 0.001 0.954 0.001 0.941 0.001 0.783 0.090 "
                      "0.945 0.001 0.941 0.001 0.949 0.002",
    "youtube-full": "0.932 0.001 0.928 0.002 0.929 0.001 0.926 0.001 0.926 0.001",
    "fb15k-237": "0.823 0.001 0.799 0.002 0.764 0.003 0.821 0.003 0.785 0.014",
}

# The table of outlier robustness, by the share of outliers.
_ROBUST = {
    ("ribeira", 0.05): "0.081 0.137 0.095 0.157 0.258 0.142 0.169 0.121 0.103 0.146 0.201",
    ("ribeira", 0.10): "0.111 0.171 0.112 0.172 0.373 0.158 0.188 0.135 0.120 0.182 0.204",
    ("fb15k-237", 0.05): "0.803 0.768 0.734 0.794 0.764",
    ("fb15k-237", 0.10): "0.772 0.736 0.711 0.765 0.739",
}

# Table 8: the ranks of TR-MM and TR-LS, and of the Tucker methods. Kinship is ours.
RANKS = {"ribeira": ((5, 5, 5), (15, 15, 6)), "tomato": ((10, 10, 10), (15, 15, 15)), "baboon": ((4, 4, 3), (4, 4, 3)),
         "fb15k-237": ((20, 20, 1), (5, 5, 5)), "youtube-subset": ((3, 3, 1), (5, 5, 5)),
         "youtube-full": ((3, 3, 1), (5, 5, 5)), "movielens": ((20, 10, 1), (4, 4, 4)),
         "kinship": ((10, 10, 5), (10, 10, 10))}


def _by_method(words, step):
    numbers = [float(w) for w in words.split()]
    rows = [tuple(numbers[i : i + step]) for i in range(0, len(numbers), step)]
    return {m: rows[i] if i < len(rows) else None for i, m in enumerate(TITLES)}


MEANS = {name: _by_method(words, 2) for name, words in _MEANS.items()}
ROBUST = {key: _by_method(words, 1) for key, words in _ROBUST.items()}


def text(number):
    """As the paper prints it: '0.121 ± 0.001', or '-' where a method could not."""
    return "-" if number is None else " ± ".join(f"{x:.3f}" for x in number)


def mean_text(name, method):
    return text(MEANS[name][method]) if method in MEANS.get(name, {}) else ""


def robust_text(name, outliers, method):
    table = ROBUST.get((name, outliers), {})
    return text(table[method]) if method in table else ""
