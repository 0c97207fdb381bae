"""The transformer in scikit-learn itself."""

import pickle
from dataclasses import replace

import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from rhetree.domain.document import Document
from rhetree.domain.tree import Split, Tree
from rhetree.integrations.sklearn import RhetoricalFeatures, features

TREE = Tree((Split(0, 1, 3, "SN", "causal"), Split(1, 2, 3, "NN", "joint")))
DOCUMENT = replace(Document.from_edus(["a b", "c", "d e f"]), tree=TREE)


def test_features_count_depths_shares_and_motifs():
    assert features(DOCUMENT) == {
        "sentences": 0,
        "edus": 3,
        "splits": 2,
        "tokens per edu": 2,
        "mean depth": 2,
        "greatest depth": 2,
        "nuclearity=SN": 0.5,
        "nuclearity=NN": 0.5,
        "relation=causal": 0.5,
        "relation=joint": 0.5,
        "motif=causal>joint": 0.5,
    }
    assert "motif=causal>joint" not in features(DOCUMENT, motifs=False)
    assert set(features(Document()).values()) == {0.0}


def test_texts_and_parsed_documents_may_be_mixed():
    transformer = RhetoricalFeatures()
    texts: list[str | Document] = [DOCUMENT, "We left because it rained.", DOCUMENT.without_trees()]
    matrix = transformer.fit_transform(texts)
    names = list(transformer.get_feature_names_out())
    assert matrix.shape == (3, len(names))
    assert matrix[:, names.index("edus")].tolist() == [3, 2, 3]
    assert matrix[:, names.index("relation=joint")].tolist() == [0.5, 0, 0]
    again = RhetoricalFeatures().fit(texts)
    assert (again.transform(texts) == matrix).all()
    assert (pickle.loads(pickle.dumps(again)).transform(texts) == matrix).all()


def test_relations_that_fit_has_not_seen_are_left_out():
    transformer = RhetoricalFeatures().fit([DOCUMENT])
    other = replace(DOCUMENT, tree=TREE.map_relations(str.upper))
    row = dict(zip(transformer.get_feature_names_out(), transformer.transform([other])[0], strict=True))
    assert row["relation=causal"] == 0
    assert row["nuclearity=SN"] == 0.5


def test_a_sparse_matrix_on_request():
    assert RhetoricalFeatures(sparse=True).fit_transform([DOCUMENT]).nnz == 11


def test_it_stands_in_a_pipeline_and_is_cloned():
    pipeline = make_pipeline(RhetoricalFeatures(motifs=False), LogisticRegression())
    flat = DOCUMENT.without_trees()
    pipeline.fit([DOCUMENT, flat, DOCUMENT, flat], [1, 0, 1, 0])
    assert pipeline.predict([DOCUMENT, flat]).tolist() == [1, 0]
    assert clone(pipeline[0]).get_params() == {"model": None, "motifs": False, "sparse": False}


def test_a_single_text_and_a_transformer_without_fit_are_refused():
    with pytest.raises(ValueError, match="string object received"):
        RhetoricalFeatures().fit("It rained.")
    with pytest.raises(NotFittedError):
        RhetoricalFeatures().transform([DOCUMENT])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")  # of scikit-learn's own, too
def test_it_passes_all_checks_of_scikit_learn_that_are_for_transformers_of_text():
    def passed(estimator):
        results = check_estimator(estimator, on_skip=None, on_fail=None)
        return {result["check_name"] for result in results if result["status"] == "passed"}

    assert passed(RhetoricalFeatures()) >= passed(CountVectorizer()) > set()
