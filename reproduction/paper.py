"""The figures that the paper prints, as data.

Rows are datasets or metrics, columns are methods under our names. A figure is a text such as 4.258(2.252), in
Markdown's boldface where the paper has it in boldface.
"""

import io

import pandas as pd

SUPPORT_SIZES = (2, 4, 6)
NUM_SELECTED = (10, 20, 30, 40, 50)
SPLITS = 20
CELLS = SPLITS * len(SUPPORT_SIZES) * len(NUM_SELECTED)
DATASETS = ("mnist_r", "isolet", "amazon_reviews", "vlcs")


def mean(figure: str) -> float:
    """Give a figure as a number, without its standard deviation in brackets."""
    return float(figure.strip("*").partition("(")[0])


def _table(text: str) -> pd.DataFrame:
    """Read a table; a star marks boldface."""
    frame = pd.read_csv(io.StringIO(text), sep=r"\s+", index_col=0, dtype=str)
    return frame.apply(lambda column: column.str.replace(r"^\*(.*)", r"**\1**", regex=True))


# Table "recon"
MSRE = _table("""
data            ours           cae_s          cae_t            cae_st
mnist_r         *4.258(2.252)  4.459(2.242)   15.477(4.453)    8.029(3.826)
isolet          *39.441(6.179) 42.941(5.272)  161.411(17.395)  95.196(15.243)
amazon_reviews  *0.056(0.004)  0.065(0.004)   0.079(0.011)     0.143(0.137)
vlcs            *0.851(0.057)  0.914(0.023)   0.963(0.057)     1.137(0.175)
""")

# Table "ari", percent
ARI = _table("""
data            ours       cae_s      cae_t      cae_st     ls_t         ls_st     spec_t       spec_st
mnist_r         *30.2(6.3) 24.7(5.1)  16.7(5.6)  24.7(5.1)  21.8(5.3)    20.0(5.9) 3.4(3.7)     3.7(5.1)
isolet          *33.9(5.9) *33.8(5.6) 20.1(7.4)  *33.7(5.4) 21.0(7.4)    29.3(7.1) 14.7(5.7)    19.3(6.9)
amazon_reviews  *0.5(0.9)  0.2(0.4)   0.2(0.5)   0.2(0.4)   0.2(0.4)     0.2(0.1)  0.1(0.1)     0.2(0.2)
vlcs            *11.2(9.4) 3.5(4.8)   7.8(10.0)  3.7(4.5)   *11.0(14.8)  6.7(7.1)  *10.3(14.7)  2.0(4.6)
""")

# Table "nmi", percent
NMI = _table("""
data            ours        cae_s      cae_t      cae_st     ls_t       ls_st       spec_t     spec_st
mnist_r         *42.6(6.1)  38.0(5.3)  28.6(6.2)  38.0(5.3)  34.5(5.9)  33.0(6.2)   15.5(4.6)  12.3(8.6)
isolet          *61.4(4.9)  *61.5(4.9) 46.2(8.8)  *61.4(4.8) 47.9(8.7)  58.7(6.7)   40.3(6.6)  43.3(7.7)
amazon_reviews  *1.4(2.6)   0.6(0.9)   0.5(1.0)   0.6(0.9)   0.3(0.9)   0.1(0.1)    0.6(0.8)   *1.3(1.1)
vlcs            *23.3(17.2) 15.4(14.3) 21.0(19.0) 15.5(14.2) 21.9(19.9) *23.2(19.7) 15.0(14.2) 10.0(9.2)
""")

MAIN = {"msre": MSRE, "ari": ARI, "nmi": NMI}

# Table "t6", percent, means over its four datasets
ABLATION = _table("""
metric  ours  ours_wo_r  ours_wo_alpha  cae_s
ari     19.0  19.2       15.7           15.6
nmi     32.2  32.3       28.5           28.9
""")
ABLATION_TWO_FEATURES = _table("""
metric  ours  ours_wo_r  ours_wo_alpha  cae_s
ari     6.5   4.4        5.1            4.8
nmi     16.6  15.8       14.4           14.4
""")

# Table "t5ded": how many features are left of K without repetitions, at N_S = 2; columns are K
DISTINCT = _table("""
data            10    20    30    40    50
mnist_r         10.0  20.0  29.7  39.1  47.0
isolet          10.0  20.0  29.8  40.0  49.9
amazon_reviews  6.8   12.9  17.9  20.1  30.1
vlcs            10.0  19.9  30.0  40.0  50.0
""").rename(columns=int)

# Table "anneal", percent, means over its four datasets
ANNEALING = _table("""
metric  ours   ours_tau0.01  ours_tau1  ours_tau10  cae_s  cae_s_tau0.01  cae_s_tau1  cae_s_tau10
ari     *19.0  7.4           17.0       15.1        15.6   13.2           15.3        12.6
nmi     *32.2  17.8          29.6       26.8        28.9   25.9           28.3        24.4
""")

# Table "rand", percent, means over its four datasets
RANDOMNESS = _table("""
metric  ours   ours_wo_noise  cae_s  cae_s_wo_noise
ari     *19.0  16.9           15.6   14.5
nmi     *32.2  29.1           28.9   26.6
""")

# Table "ad_comp", percent, means over its four datasets
SIMULTANEOUS = _table("""
metric  ours   cae_s  cae_st  cae_st_sim
ari     *19.0  15.6   15.6    16.9
nmi     *32.2  28.9   28.9    27.7
""")

# Table "comp": seconds of training and of a selection from a support set
SECONDS = _table("""
data     ours     cae_s    cae_t    cae_st  ls_t   ls_st  spec_t  spec_st
mnist_r  303.725  125.065  119.699  4.673   0.003  1.493  0.011   14.627
""")
SELECT_SECONDS = _table("""
data     ours
mnist_r  0.003
""")

BY_DATASET = {**MAIN, "seconds": SECONDS, "select_seconds": SELECT_SECONDS}
