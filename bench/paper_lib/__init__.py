# SPDX-License-Identifier: MIT
"""The rooms of bench/paper, in the order data goes through them.

  data         finds a data set in a folder and reads what is known of it
  splits       deals it into training and test part, with outliers where asked
  settings     which flags a method is given on a data set
  runs         calls lacuna, once for each split and method, and remembers the answers
  published    the paper's own numbers
  experiments  which runs a table or figure needs, and what it makes of their answers
  page         CSV, Markdown and HTML
"""
