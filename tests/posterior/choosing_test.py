"""Recipes are chosen by tasks that were left out, and by nothing else."""

import dataclasses

import numpy as np

from benchmarks.planted import planted
from tests.posterior.small import CLUSTERS, rows_of_clusters, rows_of_tasks, source_of_tasks
from tffs.posterior.choosing import Recipe, asked, chosen, left_out, relative_errors
from tffs.posterior.source import dealt

GROUPS = 3


def ones(source):
    return np.ones(source.num_features)


def folds_of(x, seed=0):
    return left_out(source_of_tasks(x, dealt(len(x), GROUPS, 0)), (), ones, seed)


def test_tasks_whose_covariances_differ_choose_a_finite_nu_and_no_mixture():
    x = planted(0, tasks=15, rows=40).x
    recipe, facts = chosen(folds_of(x), components=(8,))
    assert recipe.nu < np.inf
    assert recipe.components == 0
    assert [one["components"] for one in facts["tried"]] == [0, 0, 0, 0, 8]


def test_rows_in_clusters_choose_a_mixture():
    recipe, facts = chosen(folds_of(rows_of_clusters()), components=(CLUSTERS,))
    assert recipe.components == CLUSTERS
    *linear, mixture = (one["error"] for one in facts["tried"])
    assert mixture < 0.5 * min(linear)


def test_recipes_that_are_about_equal_are_settled_by_the_simpler_one():
    recipe, facts = chosen(folds_of(rows_of_tasks()), components=(8,))
    least = min(one["error"] for one in facts["tried"])
    taken = next(one for one in facts["tried"] if one.items() >= recipe.facts().items())
    assert taken["error"] <= 1.01 * least
    assert recipe.components == 0


def test_a_left_out_task_changes_nothing_of_the_model_that_is_asked_about_it():
    x = rows_of_tasks(tasks=6)
    changed = x.copy()
    changed[0] = 7.0 * x[0] + 3.0
    recipe = Recipe(components=3)
    one, other = (left_out(source_of_tasks(rows), (), ones, 0) for rows in (x, changed))
    for fold, same in ((0, True), (1, False)):
        models = [folds[fold].kitchen.model(recipe) for folds in (one, other)]
        weights = [[np.asarray(weight) for weight in model.weights] for model in models]
        equal = all(np.array_equal(before, after) for before, after in zip(*weights, strict=True))
        assert equal == same


def test_questions_hold_support_rows_and_others_of_their_own_task():
    x = rows_of_tasks(tasks=3, rows=7)
    x += 100.0 * np.arange(3, dtype=np.float32)[:, None, None]
    questions = asked(source_of_tasks(x), np.array([2, 0]), 4, seed=0)
    assert questions.support_mask.sum(axis=1).tolist() == [3, 3]  # half of seven rows
    assert questions.rows_mask.sum(axis=1).tolist() == [4, 4]
    for place, task in enumerate((2, 0)):
        support = questions.support[place][questions.support_mask[place]]
        rows = questions.rows[place][questions.rows_mask[place]]
        together = np.concatenate([support, rows])
        assert {row.tobytes() for row in together} == {row.tobytes() for row in x[task]}


def test_one_task_leaves_nothing_to_choose_and_says_so():
    recipe, facts = chosen(left_out(source_of_tasks(rows_of_tasks(tasks=1)), (), ones, 0))
    assert recipe == Recipe()
    assert facts == {"recipe": Recipe().facts(), "tried": [], "left_out": 0}


def test_a_group_that_only_watches_is_asked_about_and_never_learned_from():
    source = source_of_tasks(rows_of_tasks(tasks=4), np.array([0, 0, 0, 1])).without(1)
    (fold,) = left_out(source, (1,), ones, 0)
    assert set(fold.questions.tasks) == {3}
    assert fold.kitchen.source.kept == (0,)


def test_a_choice_is_a_function_of_the_seed():
    x = rows_of_tasks()
    facts = [chosen(folds_of(x, seed), components=(3,))[1] for seed in (0, 0, 1)]
    assert facts[0] == facts[1]
    assert facts[0]["tried"] != facts[2]["tried"]


def test_questions_that_are_asked_in_blocks_have_the_same_errors(monkeypatch):
    (fold, *_) = folds_of(rows_of_tasks())
    together = relative_errors(fold, Recipe())
    monkeypatch.setattr("tffs.posterior.answers.BLOCK_NUMBERS", 1)
    alone = relative_errors(dataclasses.replace(fold, orders={}), Recipe())
    np.testing.assert_allclose(alone, together, rtol=1e-5)
