"""Which methods the page compares, table by table."""

from collections.abc import Iterable, Sequence

from reproduction import paper
from reproduction.names import BEYOND, METHODS, METRICS, YARDSTICK, with_role
from reproduction.section import Table

T_METHODS = {size: "ours" if size == 300 else f"ours_T{size}" for size in (1, 10, 50, 100, 200, 300, 400)}
ANY_SUPPORT = ("ours", "cae_s", "ls_t", "spec_t", "spec_t_corrected", "random", "variance")

MAIN = tuple(
    Table(
        METRICS[metric].title,
        f"{about} Mean(standard deviation) over the cells that all methods of the row have.",
        tuple(paper.MAIN[metric]),
        (metric,),
        beside_paper=True,
        by_reach=True,
    )
    for metric, about in (
        ("msre", "Test MSRE, lower is better."),
        ("ari", "Test ARI of K-means on the selected features, higher is better."),
        ("nmi", "Test NMI of K-means on the selected features, higher is better."),
    )
)

T_DEPENDENCE = Table(
    "Dependence on T, the dimension of π",
    "Ours has T = 300. The paper shows this in a figure only: good above T = 100, worse below.",
    tuple(T_METHODS.values()),
)

VARIANTS = (
    Table(
        "Ablation",
        "Ours without the task code r(S) in the decoder; without α(S), so that the selector is a direct "
        "parameter; and CAE-S, which has neither.",
        tuple(paper.ABLATION),
        paper_means=paper.ABLATION,
    ),
    Table(
        "Ablation with two features",
        "The same for K = 2.",
        tuple(paper.ABLATION_TWO_FEATURES),
        paper_means=paper.ABLATION_TWO_FEATURES,
        num_selected=2,
    ),
    Table(
        "Annealing",
        "The temperature annealed from 10 to 0.01 (Ours, CAE-S) against a fixed temperature τ.",
        tuple(paper.ANNEALING),
        paper_means=paper.ANNEALING,
    ),
    Table(
        "Randomness",
        "With the Gumbel noise in the selector (Ours, CAE-S) and without it.",
        tuple(paper.RANDOMNESS),
        paper_means=paper.RANDOMNESS,
    ),
    Table(
        "CAE-ST-sim and other ways to train CAE",
        "CAE-ST fine-tunes CAE-S on the target's support. *Selector only* fine-tunes nothing but the selector. "
        "CAE-ST-sim trains on source rows and the support together. *Indirect* is CAE-S whose logits are a "
        "learned embedding times a shared matrix, as in Ours: what it gains is due to the parametrisation, not "
        "to the task.",
        ("ours", "cae_s", "cae_st", "cae_st_selector", "cae_st_sim", "cae_s_indirect"),
        paper_means=paper.SIMULTANEOUS,
    ),
    T_DEPENDENCE,
    Table(
        "Early stopping",
        "The weights of the lowest validation error (Ours), as in the paper, and those of the last step.",
        ("ours", "ours_last"),
    ),
    Table(
        "Initialisation",
        "Weights start Glorot-uniform (Ours, without r(S), CAE-S) or as PyTorch starts them (*fan-in*), in "
        "which the paper was implemented. The paper does not say how its weights start.",
        ("ours", "ours_fan_in", "ours_wo_r", "ours_wo_r_fan_in", "cae_s", "cae_s_fan_in"),
        ("msre", "distinct", "ari"),
        subjects=("ours_fan_in", "ours_wo_r_fan_in", "cae_s_fan_in"),
    ),
    Table(
        "Larger π",
        "π drawn with a standard deviation of 0.3 and of 1 instead of 0.05. The paper does not say how it "
        "starts.",
        ("ours", "ours_pi0.3", "ours_pi1"),
        ("msre", "distinct", "ari"),
    ),
    Table(
        "SPEC in the library's order and in the right one",
        "SPEC-T and SPEC-ST take the features in the order that scikit-feature gives, as the paper did. For "
        "SPEC's second ranking function the smaller score is the better one: *corrected* takes that order, "
        "without constant columns.",
        ("spec_t", "spec_t_corrected", "spec_st", "spec_st_corrected"),
        ("ari", "nmi"),
        beside_paper=True,
    ),
    Table(
        "Yardsticks",
        "K random features and the K features of highest variance in the source tasks, each with CAE-S's "
        "decoder trained as CAE-S trains it, and all features, which can only be clustered. The paper has none "
        "of these.",
        ("ours", "cae_s", *with_role(METHODS, YARDSTICK)),
    ),
)

THROUGH_POSTERIOR = Table(
    "Selectors trained through the posterior",
    "The paper's selectors with the posterior as their decoder, a model for each K, beside the posterior's own "
    "choice.",
    ("posterior", "concrete_posterior"),
    subjects=("concrete_posterior",),
)

BY_SIZE = Table(
    "MSRE for each N_S and K",
    "Each size by itself, and in the last row of a dataset over the paper's N_S and K.",
    ("ours", "cae_s", "posterior", "greedy", "variance"),
    ("msre",),
    cell_by_cell=True,
    subjects=("ours",),
)

TIMES = Table(
    "Computation time",
    "CAE-ST is the fine-tuning alone. The posterior is fitted once for all N_S and K. Here every training has "
    "one thread while others run beside it. The paper's figures are from a 2.20 GHz CPU, so the ratios say "
    "more than the seconds.",
    (*paper.SECONDS, "posterior", "greedy"),
    ("seconds", "select_seconds"),
    beside_paper=True,
    subjects=("ours",),
    by_reach=True,
)

SUPERVISED = Table(
    "Supervised variant",
    "With the cross-entropy loss the decoder predicts the label of a query row; the support stays unlabeled. "
    "Accuracy in percent on the target's test rows, beside the same classifier on random and on all features. "
    "The paper describes this variant and prints no figures of it.",
    ("ours_supervised", "random_supervised", "all_supervised"),
    ("accuracy",),
    cell_by_cell=True,
)


def stability(methods: Iterable[str]) -> Table:
    """Compare how much the choice of these methods depends on which rows of a target the support has."""
    there = set(methods)
    return Table(
        "Stability",
        "Mean Jaccard index of the features that a method chooses from different supports of one target: 1 "
        "where the support does not matter, as for CAE-S by construction. More is not better as such, so "
        "nothing is bold. Methods that learn anew for each support were not asked. The paper has no such "
        "table.",
        [name for name in (*ANY_SUPPORT, *with_role(there, BEYOND)) if name in there],
        ("stability",),
    )


def beyond(methods: Sequence[str]) -> list[Table]:
    """Compare methods that the paper does not have with Ours, on the paper's sizes and for K = 2."""
    compared = ("ours", "cae_s", *methods, "variance")
    beside = "Methods that the paper does not have, beside Ours and CAE-S."
    return [
        Table(
            "Beyond the paper",
            f"{beside} *Variance* takes the K features of highest variance, with CAE-S's decoder. *Unmeasured "
            "features* are those that were not selected. The relative error is the MSRE as a share of that of "
            "always answering the source tasks' mean.",
            compared,
            ("msre", "msre_unmeasured", "relative_error", "ari", "nmi"),
            subjects=methods,
            by_reach=True,
        ),
        Table(
            "Two features",
            "The same for K = 2, which the paper has in its ablation only.",
            compared,
            num_selected=2,
            subjects=methods,
            by_reach=True,
        ),
    ]
