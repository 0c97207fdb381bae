"""Models that come as packages of their own, and models that say which Rhetree they run with."""

import json
import shutil
import sys

import pytest

import rhetree
from rhetree.cli.main import main
from rhetree.errors import ModelError
from rhetree.jobs.work import Task
from rhetree.runtime import installed
from rhetree.runtime.installed import find_model, installed_models, name_of


def add_package(site, name, value, package="rhetree_news", config=True):
    """Install a package that offers a model, as pip would leave it."""
    folder = site / package / "model"
    folder.mkdir(parents=True)
    (site / package / "__init__.py").write_text("raise RuntimeError('to find a model runs no code')")
    if config:
        shutil.copy(find_model("english") / "config.json", folder)
    about = site / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[rhetree_models]\n{name} = {value}\n")
    return folder


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("rhetree_news", None)


def test_a_model_of_another_package_is_found_and_listed(site, capsys):
    folder = add_package(site, "news", "rhetree_news.model")
    assert list(installed_models()) == ["english", "english-document", "english-fast", "news"]
    assert find_model("news") == folder
    assert main(["models"]) == 0
    assert "\nnews (" in capsys.readouterr().out


def test_a_model_of_another_package_parses(site):
    folder = add_package(site, "news", "rhetree_news.model")
    shutil.copytree(find_model("english"), folder, dirs_exist_ok=True)
    assert rhetree.load("news", threads=1).parse("We left because it rained.").edu_texts() == [
        "We left",
        "because it rained.",
    ]


def test_a_model_of_another_package_goes_by_its_name(site, capsys):
    folder = add_package(site, "news", "rhetree_news.model")
    shutil.copytree(find_model("english"), folder, dirs_exist_ok=True)
    task = Task(model="news")
    assert task.identify_model().startswith("news ")
    parser = rhetree.load("news", threads=1)
    assert parser.parse("It rained.").metadata["model"] == task.identify_model()
    assert parser.model.name == "news"
    # The hash is that of the files, and the name does not depend on how the model was asked for.
    english = Task(model="english").identify_model()
    assert english == f"english {task.identify_model().partition(' ')[2]}"
    assert Task(model=str(folder)).identify_model() == task.identify_model()
    assert main(["info", "news"]) == 0
    assert "model           news\n" in capsys.readouterr().out


def test_a_copy_of_a_model_goes_by_its_folder(tmp_path):
    copy = tmp_path / "mine"
    shutil.copytree(find_model("english"), copy)
    assert [name_of(folder) for folder in (copy, copy / ".", find_model("english-fast"))] == [
        "mine",
        "mine",
        "english-fast",
    ]


def test_the_model_that_joins_sentences_is_none_to_parse_with():
    with pytest.raises(
        ModelError, match="english-document: this model joins sentences into documents, and one"
    ):
        rhetree.load("english-document")


def test_no_package_takes_the_name_of_a_model_of_ours(site):
    add_package(site, "english", "rhetree_news.model")
    assert installed_models()["english"] == find_model("english")
    assert find_model("english").parent == installed._HOME


@pytest.mark.parametrize("value", ["rhetree_news.model", "no_such_package", "json"])
def test_an_entry_without_a_model_is_passed_over(site, value):
    add_package(site, "news", value, config=False)
    assert list(installed_models()) == ["english", "english-document", "english-fast"]
    with pytest.raises(ModelError, match="no model is called 'news'.*installed: english"):
        find_model("news")


def requiring(tmp_path, versions):
    folder = tmp_path / "model"
    shutil.copytree(find_model("english"), folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"requires_rhetree": versions}), encoding="utf-8")
    return folder


def test_a_model_for_another_version_names_the_one_to_install(tmp_path):
    folder = requiring(tmp_path, ">=99")
    message = f"model: this model runs with rhetree>=99, and this is {rhetree.__version__}; install it with: "
    with pytest.raises(ModelError, match=message + "pip install 'rhetree>=99'"):
        rhetree.load(folder)


def test_a_model_for_this_version_is_loaded_and_says_so(tmp_path, capsys):
    folder = requiring(tmp_path, f">={rhetree.__version__}")
    rhetree.load(folder, threads=1)
    assert main(["info", str(folder)]) == 0
    assert f"rhetree >={rhetree.__version__}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong", ["newer", 3, None, True, [], [">=0.1"], {}, {"a": 1}, ">=0.1.dev" + "9" * 5000, ">=0," * 10**5]
)
def test_a_requirement_that_is_none_is_told(tmp_path, wrong):
    with pytest.raises(ModelError, match='expected versions such as ">=0.1,<1" under "requires_rhetree"'):
        rhetree.load(requiring(tmp_path, wrong))
